namespace AdaptivePool.Control;

/// <summary>What a controller is told about the interval that has just ended. Everything it may use is here; it reads no clock and no counter itself.</summary>
public readonly record struct PoolSample
{
    /// <summary>Length of the interval. Must be positive.</summary>
    public required TimeSpan Elapsed { get; init; }

    /// <summary>Items completed in the interval. Zero or more.</summary>
    public required long Completions { get; init; }

    /// <summary>The size in force during the interval, in threads. One or more.</summary>
    public required int Target { get; init; }

    /// <summary>Lowest size that may be decided, in threads.</summary>
    public required int MinTarget { get; init; }

    /// <summary>Highest size that may be decided, in threads.</summary>
    public required int MaxTarget { get; init; }

    /// <summary>Items queued in the interval.</summary>
    public long Arrivals { get; init; }

    /// <summary>Items waiting at the end of the interval.</summary>
    public int Queued { get; init; }

    /// <summary>Mean time an item waited in the queue; <see cref="TimeSpan.Zero"/> when not measured.</summary>
    public TimeSpan MeanQueueWait { get; init; }

    /// <summary>Longest time an item waited in the queue; <see cref="TimeSpan.Zero"/> when not measured.</summary>
    public TimeSpan MaxQueueWait { get; init; }

    /// <summary>Mean time from an item's start to its end; <see cref="TimeSpan.Zero"/> when not measured.</summary>
    public TimeSpan MeanServiceTime { get; init; }

    /// <summary>Workers holding an item at the end of the interval, blocked ones included.</summary>
    public int Active { get; init; }

    /// <summary>Of these, workers that run.</summary>
    public int Running { get; init; }

    /// <summary>Of these, workers that are blocked.</summary>
    public int Blocked { get; init; }

    /// <summary>Age of the oldest item that has not completed.</summary>
    public TimeSpan OldestItemAge { get; init; }

    /// <summary>
    /// Time in which the workers ran in the interval, or were ready and waited for a core, in seconds; a share of the CPU time of the process where single
    /// threads cannot be read; <see cref="double.NaN"/> when not known.
    /// </summary>
    public double WorkerCpuSeconds { get; init; }

    /// <summary>
    /// Own CPU use over own plus idle CPU of the allowed cores, 0 to 1; <see cref="double.NaN"/> when not known. The input of the model jump: below the knee
    /// N / utilisation is the size that would use the machine up.
    /// </summary>
    public double Utilisation { get; init; }

    /// <summary>Cores the process may use.</summary>
    public double Cores { get; init; }

    /// <summary>Clients or connections that may send work at once; <see langword="null"/> when not known.</summary>
    public int? Connections { get; init; }

    /// <summary>Mean time between the end of one request of a connection and its next, in seconds; zero (the default) or <see cref="double.NaN"/> when not
    /// known.</summary>
    public double RequestGapSeconds { get; init; }

    /// <summary>Whether every number is possible. A sample with one that is not teaches nothing.</summary>
    internal bool IsPossible =>
        Elapsed > TimeSpan.Zero
        && Completions >= 0
        && Arrivals >= 0
        && Queued >= 0
        && Target >= 1
        && MinTarget >= 1
        && MaxTarget >= MinTarget
        && Active >= 0
        && Running >= 0
        && Blocked >= 0
        && MeanQueueWait >= TimeSpan.Zero
        && MaxQueueWait >= TimeSpan.Zero
        && MeanServiceTime >= TimeSpan.Zero
        && OldestItemAge >= TimeSpan.Zero
        && Connections is not < 0
        && double.IsFinite(Cores)
        && Cores >= 0
        && IsUnknownOrPositive(Utilisation)
        && IsUnknownOrPositive(WorkerCpuSeconds)
        && IsUnknownOrPositive(RequestGapSeconds);

    // Not-a-number means "not known" for these; an infinity or a negative value is a broken clock.
    private static bool IsUnknownOrPositive(double value) => double.IsNaN(value) || (value >= 0 && double.IsFinite(value));
}
