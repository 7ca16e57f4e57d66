namespace AdaptivePool.Control;

/// <summary>
/// What kind of work a class does, as seed 000 lists it ("Generalization And Future Work"): the next time the profile is about the same, the best size is known already. A feature that is not a positive
/// finite number is not known and does not count, so the default value knows nothing.
/// </summary>
public readonly record struct WorkloadProfile
{
    /// <summary>Clients or connections that may send work at once.</summary>
    public double Connections { get; init; }

    /// <summary>Cores the process may use.</summary>
    public double Cores { get; init; }

    /// <summary>Time from asking for a thread until it runs, in seconds.</summary>
    public double ThreadCreationSeconds { get; init; }

    /// <summary>Times an item runs between its waits, the first and the last included: one more than its waits.</summary>
    public double ActiveRounds { get; init; }

    /// <summary>CPU time of one active round, in seconds.</summary>
    public double ActiveSeconds { get; init; }

    /// <summary>Time of one wait inside an item, in seconds.</summary>
    public double WaitingSeconds { get; init; }

    /// <summary>Time between the end of one request of a connection and the start of its next, in seconds.</summary>
    public double RequestGapSeconds { get; init; }

    /// <summary>Enough is known to tell one kind of work from another: how long it computes or how long it waits.</summary>
    public bool IsTelling => IsKnown(ActiveSeconds) || IsKnown(WaitingSeconds);

    /// <summary>Takes the profile from a sample. Where the rounds were not measured, an item counts as one active and one waiting round.</summary>
    /// <param name="sample">The sample.</param>
    public static WorkloadProfile From(in PoolSample sample)
    {
        double active = sample.ActiveRoundSeconds;
        double waiting = sample.WaitingRoundSeconds;
        double service = sample.MeanServiceTime.TotalSeconds;
        if (!IsKnown(active) && !IsKnown(waiting) && sample.Completions > 0 && sample.WorkerCpuSeconds >= 0)
        {
            active = sample.WorkerCpuSeconds / sample.Completions;
            waiting = service - active;
        }

        return new()
        {
            Connections = sample.Connections ?? 0,
            Cores = sample.Cores,
            ThreadCreationSeconds = sample.ThreadCreationSeconds,
            ActiveRounds = sample.ActiveRounds,
            ActiveSeconds = active,
            WaitingSeconds = waiting,
            RequestGapSeconds = sample.RequestGapSeconds,
        };
    }

    /// <summary>Whether a feature has a value.</summary>
    /// <param name="feature">The feature.</param>
    public static bool IsKnown(double feature) => feature > 0 && double.IsFinite(feature);
}
