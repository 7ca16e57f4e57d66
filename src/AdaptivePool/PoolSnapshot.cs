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

    /// <summary>Workers holding an item and not blocked in a managed wait; those that block in the kernel are among them, see <see cref="Workers"/>.</summary>
    public required int Running { get; init; }

    /// <summary>
    /// Workers holding an item and blocked in a managed wait, where the pool sees it at once. <see cref="BlockingReport.Blocked"/> counts those that block in
    /// the kernel as well, which only looking twice can tell; <see cref="Workers"/> tells each one's state.
    /// </summary>
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

    /// <summary>Times a parked worker was woken to look for work.</summary>
    public required long Wakes { get; init; }

    /// <summary>Wakes after which the worker found nothing to do, because others were sooner, and went back to sleep; a part of <see cref="Wakes"/>.</summary>
    public required long UselessWakes { get; init; }

    /// <summary>Times the audit found work queued, a worker idle and nobody on the way (rule R2). Anything but zero is a bug of the pool.</summary>
    public required long Rescues { get; init; }

    /// <summary>
    /// Times work waited beside an idle worker because whoever was on the way to it, a thread that queued or a worker that was woken, got no processor for a
    /// quarter of a second. The audit woke another worker for it.
    /// It tells of a machine with too much to do, not of a bug.
    /// </summary>
    public long LateWakes { get; init; }

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

    /// <summary>Every worker that is alive: what it does, at which class, for how long.</summary>
    public required IReadOnlyList<WorkerSnapshot> Workers { get; init; }

    /// <summary>Who blocks the workers: at most ten, those who block most workers now first, then by time.</summary>
    public required IReadOnlyList<Blocker> Blockers { get; init; }

    /// <summary>How long the oldest root item waits, estimated to about 0.1 s; zero when nothing waits.</summary>
    public required TimeSpan OldestWait { get; init; }

    /// <summary>
    /// How long work waits in the runtime's pool beside this one, as last measured; zero while nothing is used, and where
    /// <see cref="AdaptivePoolOptions.WatchRuntimePool"/> is off.
    /// </summary>
    public TimeSpan RuntimePoolDelay { get; init; }

    /// <summary>Whether the pool is deadlocked; see <see cref="AdaptiveThreadPool.DeadlockChanged"/>.</summary>
    public required bool IsDeadlocked { get; init; }

    /// <summary>Times it was.</summary>
    public required long Deadlocks { get; init; }

    /// <summary>What the pool has done since <see cref="AdaptiveThreadPool.ResetStatistics"/>.</summary>
    public required PoolStatistics Statistics { get; init; }

    /// <summary>
    /// Waits of items by what they waited for, as <see cref="Blocker.Kind"/> names it: "lock", "Task.Wait", "Thread.Sleep" and so on. Those that
    /// have ended, since the pool was created. Not all are counted: <see cref="Blocker"/> says which.
    /// </summary>
    public required IReadOnlyDictionary<string, long> Waits { get; init; }

    /// <summary>The items that wait, where they were asked for (<see cref="AdaptiveThreadPool.GetSnapshot(int)"/>); empty otherwise.</summary>
    public IReadOnlyList<QueuedItemSnapshot> QueuedItems { get; init; } = [];

    /// <summary>The groups that the threads are in; one where nothing says otherwise.</summary>
    public required IReadOnlyList<ThreadGroupSnapshot> Groups { get; init; }

    /// <summary>The work classes; the one named "(in flight)" is the work that continues something already started.</summary>
    public required IReadOnlyList<WorkClassSnapshot> Classes { get; init; }
}
