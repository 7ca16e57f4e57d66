namespace AdaptivePool;

/// <summary>Says that most workers of a pool are blocked while work waits, and which code blocks them.</summary>
public sealed record BlockingReport
{
    /// <summary>Name of the pool.</summary>
    public required string PoolName { get; init; }

    /// <summary>Workers that are blocked.</summary>
    public required int Blocked { get; init; }

    /// <summary>Workers alive.</summary>
    public required int Workers { get; init; }

    /// <summary>Workers alive when the pool was last seen without most of them blocked.</summary>
    public required int WorkersBefore { get; init; }

    /// <summary>Items waiting.</summary>
    public required long Queued { get; init; }

    /// <summary>How long the oldest of them has waited, at least; the longest over all classes.</summary>
    public required TimeSpan OldestWait { get; init; }

    /// <summary>Who blocks; those who block most workers now come first. At most ten.</summary>
    public required IReadOnlyList<Blocker> Blockers { get; init; }

    /// <summary>Whether the pool is deadlocked: see <see cref="AdaptiveThreadPool.DeadlockChanged"/>. Default false.</summary>
    public bool IsDeadlocked { get; init; }

    /// <summary>All of it in one line, for a log.</summary>
    public required string Message { get; init; }
}
