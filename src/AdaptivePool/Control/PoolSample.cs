namespace AdaptivePool.Control;

/// <summary>
/// The measurements that a controller gets for the interval that has just ended. They contain everything it may use; it reads no clock and no counter itself.
/// </summary>
public readonly record struct PoolSample
{
    /// <summary>The length of the interval. Must be positive.</summary>
    public required TimeSpan Elapsed { get; init; }

    /// <summary>The number of items completed in the interval. Zero or more.</summary>
    public required long Completions { get; init; }

    /// <summary>The size during the interval, in threads. One or more.</summary>
    public required int Target { get; init; }

    /// <summary>The lowest size that the controller may decide, in threads.</summary>
    public required int MinTarget { get; init; }

    /// <summary>The highest size that the controller may decide, in threads.</summary>
    public required int MaxTarget { get; init; }

    /// <summary>The number of items queued in the interval.</summary>
    public long Arrivals { get; init; }

    /// <summary>The number of items waiting at the end of the interval.</summary>
    public int Queued { get; init; }

    /// <summary>The mean time that an item waited in the queue; <see cref="TimeSpan.Zero"/> if it was not measured.</summary>
    public TimeSpan MeanQueueWait { get; init; }

    /// <summary>The longest time that an item waited in the queue; <see cref="TimeSpan.Zero"/> if it was not measured.</summary>
    public TimeSpan MaxQueueWait { get; init; }

    /// <summary>The mean time from an item's start to its end; <see cref="TimeSpan.Zero"/> if it was not measured.</summary>
    public TimeSpan MeanServiceTime { get; init; }

    /// <summary>The number of workers that hold an item at the end of the interval, including blocked ones.</summary>
    public int Active { get; init; }

    /// <summary>The number of the active workers that run.</summary>
    public int Running { get; init; }

    /// <summary>The number of the active workers that are blocked.</summary>
    public int Blocked { get; init; }

    /// <summary>The age of the oldest item that has not completed.</summary>
    public TimeSpan OldestItemAge { get; init; }

    /// <summary>
    /// The time in which the workers ran in the interval, or were ready and waited for a core, in seconds. If single threads cannot be read, a share of the CPU
    /// time of the process. <see cref="double.NaN"/> if it is not known.
    /// </summary>
    public double WorkerCpuSeconds { get; init; }

    /// <summary>
    /// The CPU use of the process divided by the sum of this use and the idle CPU of the allowed cores, 0 to 1; <see cref="double.NaN"/> if it is not known. It
    /// is the input of the model jump: below the knee, N / utilisation is the size that would use the whole machine.
    /// </summary>
    public double Utilisation { get; init; }

    /// <summary>The number of cores that the process may use.</summary>
    public double Cores { get; init; }

    /// <summary>The number of clients or connections that may send work at once; <see langword="null"/> if it is not known.</summary>
    public int? Connections { get; init; }

    /// <summary>
    /// The mean time between the end of one request of a connection and its next request, in seconds; zero (the default) or <see cref="double.NaN"/> if it is
    /// not known.
    /// </summary>
    public double RequestGapSeconds { get; init; }

    /// <summary>Whether every number is possible. Nothing is learned from a sample with an impossible number.</summary>
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
