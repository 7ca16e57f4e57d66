namespace AdaptivePool;

/// <summary>State of a pool at one moment. Taken without a lock: the numbers are close to each other in time, not one atomic picture.</summary>
public sealed record PoolSnapshot
{
    /// <summary>Name of the pool.</summary>
    public required string Name { get; init; }

    /// <summary>Size that Sizing allows, in threads: the sum of the class limits within the bounds.</summary>
    public required int Target { get; init; }

    /// <summary>Threads alive.</summary>
    public required int Existing { get; init; }

    /// <summary>Workers holding an item and not blocked in a wait that the pool can see.</summary>
    public required int Running { get; init; }

    /// <summary>Workers holding an item and blocked in a wait that the pool can see.</summary>
    public required int Blocked { get; init; }

    /// <summary>Running + Blocked.</summary>
    public int Active => Running + Blocked;

    /// <summary>Workers parked.</summary>
    public required int Idle { get; init; }

    /// <summary>Items waiting, local queues included.</summary>
    public required long Queued { get; init; }

    /// <summary>Items completed since the pool was created.</summary>
    public required long Completed { get; init; }

    /// <summary>Items that ended with an exception nobody else observes (work items, not tasks).</summary>
    public required long Faulted { get; init; }

    /// <summary>Threads created since the pool was created.</summary>
    public required long ThreadsCreated { get; init; }

    /// <summary>Failed attempts to create a thread.</summary>
    public required long ThreadCreationFailures { get; init; }

    /// <summary>Times a parked worker was woken.</summary>
    public required long Wakes { get; init; }

    /// <summary>Wakes after which the worker found nothing to do.</summary>
    public required long UselessWakes { get; init; }

    /// <summary>Times the audit found work queued, a worker idle and nobody on the way (design rule R2). Anything but zero is a bug of the pool.</summary>
    public required long Rescues { get; init; }

    /// <summary>Most threads ever alive at once.</summary>
    public required int PeakThreads { get; init; }

    /// <summary>Threads that run LongRunning tasks; not part of <see cref="Existing"/>.</summary>
    public required int LongRunning { get; init; }

    /// <summary>Lower bound in force, in threads.</summary>
    public required int MinThreads { get; init; }

    /// <summary>Upper bound in force, in threads.</summary>
    public required int MaxThreads { get; init; }

    /// <summary>Reasons of the blocking scopes that are open at this moment, one entry per scope.</summary>
    public required IReadOnlyList<string> BlockingReasons { get; init; }

    /// <summary>The work classes; the one named "(in flight)" is the work that continues something already started.</summary>
    public required IReadOnlyList<WorkClassSnapshot> Classes { get; init; }
}
