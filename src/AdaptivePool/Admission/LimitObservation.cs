namespace AdaptivePool.Admission;

/// <summary>What the adaptive limit is told about its gate. Counts run from the beginning; their differences are what counts.</summary>
internal readonly record struct LimitObservation
{
    /// <summary>Share of the transactions let in that must have waited, or as many been turned away, so that the limit was what held them back.</summary>
    private const double BindingShare = 0.8;

    /// <summary>Time since the gate was created.</summary>
    public required TimeSpan Now { get; init; }

    /// <summary>Limit in force; 0 for none.</summary>
    public required int Limit { get; init; }

    /// <summary>Permits held.</summary>
    public required int Held { get; init; }

    /// <summary>How many wait.</summary>
    public required int Queued { get; init; }

    /// <summary>Transactions that ended well.</summary>
    public long Ended { get; init; }

    /// <summary>Transactions that failed.</summary>
    public long Failed { get; init; }

    /// <summary>Time that the former were inside, summed, in seconds; of passes it is not known.</summary>
    public double InsideSeconds { get; init; }

    /// <summary>Time that those were inside that failed.</summary>
    public double FailedSeconds { get; init; }

    /// <summary>Those among them of which that is known.</summary>
    public long Timed { get; init; }

    /// <summary>Transactions let in, without those past the limit.</summary>
    public required long Admitted { get; init; }

    /// <summary>Those of them that had to wait.</summary>
    public required long AdmittedAfterWait { get; init; }

    /// <summary>Those that were refused because the gate was full, and did not want to wait.</summary>
    public long TurnedAway { get; init; }

    /// <summary>Those that were refused because no more may wait.</summary>
    public long Overflowed { get; init; }

    /// <summary>
    /// Whether the limit was what held transactions back since an earlier observation: most of those let in had to wait, or as many were turned away; or, where
    /// none was let in, one waits or was turned away.
    /// </summary>
    public bool Binds(in LimitObservation since)
    {
        // Not the sum: whoever asks without waiting first, as the rate limiter of ASP.NET Core does, is turned away and then waits or finds no place.
        long waited = AdmittedAfterWait - since.AdmittedAfterWait;
        long refused = Math.Max(TurnedAway - since.TurnedAway, Overflowed - since.Overflowed);
        long heldBack = Math.Max(waited, refused);
        long admitted = Admitted - since.Admitted;
        return heldBack > 0 ? heldBack >= BindingShare * admitted : admitted == 0 && Queued > 0;
    }

    /// <summary>Since the last look nothing was measured: nobody came, or the process stood still.</summary>
    public bool IsInterrupted { get; init; }
}
