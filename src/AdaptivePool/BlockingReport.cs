namespace AdaptivePool;

/// <summary>Reports that most workers of a pool are blocked while work waits, and which code blocks them.</summary>
public sealed record BlockingReport
{
    /// <summary>The name of the pool.</summary>
    public required string PoolName { get; init; }

    /// <summary>The number of blocked workers.</summary>
    public required int Blocked { get; init; }

    /// <summary>The number of workers alive, also those that have no item.</summary>
    public required int Workers { get; init; }

    /// <summary>The number of workers that were alive when the pool was last seen without most of its workers blocked, or at the last report.</summary>
    public required int WorkersBefore { get; init; }

    /// <summary>The number of waiting items.</summary>
    public required long Queued { get; init; }

    /// <summary>How long the oldest waiting item has waited, at least; the longest time over all classes.</summary>
    public required TimeSpan OldestWait { get; init; }

    /// <summary>The code that blocks, at most ten entries. Code that blocks the most workers now comes first.</summary>
    public required IReadOnlyList<Blocker> Blockers { get; init; }

    /// <summary>Whether the pool is deadlocked: see <see cref="AdaptiveThreadPool.DeadlockChanged"/>. Default false.</summary>
    public bool IsDeadlocked { get; init; }

    /// <summary>The whole report in one line, for a log.</summary>
    public required string Message { get; init; }
}
