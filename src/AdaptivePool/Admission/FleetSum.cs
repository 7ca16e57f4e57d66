namespace AdaptivePool.Admission;

/// <summary>
/// What all gates before a database did, as one gate would have counted it: their rates, summed up over the time between the looks of the one that sums.
/// </summary>
internal readonly record struct FleetSum
{
    private double Ended { get; init; }

    private double Failed { get; init; }

    private double Inside { get; init; }

    private double Waited { get; init; }

    /// <summary>What is told to a search for the limit of all together.</summary>
    public LimitObservation Observation { get; private init; }

    /// <summary>Adds what the reports tell.</summary>
    /// <param name="all">The reports.</param>
    /// <param name="now">What the gate itself sees.</param>
    /// <param name="seconds">The time since the look before; zero adds nothing.</param>
    /// <param name="total">The limit of all together.</param>
    /// <param name="binds">Whether it holds them back.</param>
    public FleetSum With(FleetReport[] all, in LimitObservation now, double seconds, int total, bool binds)
    {
        double ended = seconds * all.Sum(static r => r.PerSecond);
        double sum = Ended + ended;
        double failed = Failed + (seconds * all.Sum(static r => r.FailedPerSecond));
        double inside = Inside + (seconds * all.Sum(static r => r.PerSecond * r.Inside.TotalSeconds));
        double waited = Waited + (binds ? ended : 0);
        return new FleetSum
        {
            Ended = sum,
            Failed = failed,
            Inside = inside,
            Waited = waited,
            Observation = new LimitObservation
            {
                Now = now.Now,
                Limit = total,
                Held = all.Sum(static r => Math.Min(r.Limit, r.Wanted)),
                Queued = binds ? Math.Max(1, all.Sum(static r => Math.Max(0, r.Wanted - r.Limit))) : 0,
                Ended = (long)sum,
                Timed = (long)sum,
                Failed = (long)failed,
                InsideSeconds = inside,
                Admitted = (long)sum,
                AdmittedAfterWait = (long)waited,
            },
        };
    }
}
