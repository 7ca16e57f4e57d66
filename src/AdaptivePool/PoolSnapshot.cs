namespace AdaptivePool;

/// <summary>
/// The state of a pool at one moment. It is taken without a lock: the numbers are close to each other in time, but not from one atomic moment.
/// </summary>
public sealed record PoolSnapshot
{
    /// <summary>The name of the pool.</summary>
    public required string Name { get; init; }

    /// <summary>
    /// The size that sizing allows new work, in threads: the sum of the limits of the classes, without that of work in flight, within the bounds.
    /// </summary>
    public required int Target { get; init; }

    /// <summary>The number of threads alive.</summary>
    public required int Existing { get; init; }

    /// <summary>
    /// The number of workers that hold an item and are not blocked in a managed wait. Workers that block in the kernel are included; see <see cref="Workers"/>.
    /// </summary>
    public required int Running { get; init; }

    /// <summary>
    /// The number of workers that hold an item and are blocked in a managed wait, which the pool sees at once. <see cref="BlockingReport.Blocked"/> also counts
    /// workers that block in the kernel, which the pool can detect only by looking twice. <see cref="Workers"/> has the state of each worker.
    /// </summary>
    public required int Blocked { get; init; }

    /// <summary>Running + Blocked.</summary>
    public int Active => Running + Blocked;

    /// <summary>The number of parked workers.</summary>
    public required int Idle { get; init; }

    /// <summary>The number of waiting items, including those in local queues.</summary>
    public required long Queued { get; init; }

    /// <summary>The number of items completed since the pool was created.</summary>
    public required long Completed { get; init; }

    /// <summary>
    /// The number of exceptions that no other code observes: of work items (not of tasks), and of event handlers, controllers and meter listeners that the pool
    /// called.
    /// </summary>
    public required long Faulted { get; init; }

    /// <summary>The number of threads created since the pool was created.</summary>
    public required long ThreadsCreated { get; init; }

    /// <summary>The number of failed attempts to create a thread.</summary>
    public required long ThreadCreationFailures { get; init; }

    /// <summary>The number of times a parked worker was woken to look for work.</summary>
    public required long Wakes { get; init; }

    /// <summary>
    /// The number of wakes after which the worker found no work, because other workers were faster, and went back to sleep; a part of <see cref="Wakes"/>.
    /// </summary>
    public required long UselessWakes { get; init; }

    /// <summary>
    /// The number of times the audit found queued work and an idle worker with no wake-up on its way (rule R2). Any value but zero is a bug of the pool.
    /// </summary>
    public required long Rescues { get; init; }

    /// <summary>
    /// The number of times work waited beside an idle worker because the thread on its way to the work got no processor for a quarter of a second. That thread
    /// is one that has queued an item, or a worker that was woken. The audit then woke another worker. The number shows that the machine has too much to do; it
    /// does not show a bug.
    /// </summary>
    public long LateWakes { get; init; }

    /// <summary>The highest number of threads ever alive at once.</summary>
    public required int PeakThreads { get; init; }

    /// <summary>The number of threads that run LongRunning tasks; not included in <see cref="Existing"/>.</summary>
    public required int LongRunning { get; init; }

    /// <summary>
    /// The current lower bound, in threads: <see cref="AdaptivePoolOptions.MinThreads"/>, or less where its default is more than the system allows.
    /// </summary>
    public required int MinThreads { get; init; }

    /// <summary>
    /// The current upper bound, in threads: <see cref="AdaptivePoolOptions.MaxThreads"/>, or less where the system allows the process fewer threads.
    /// </summary>
    public required int MaxThreads { get; init; }

    /// <summary>The reasons of the blocking scopes that are open at this moment, one entry per worker: that of its outermost scope.</summary>
    public required IReadOnlyList<string> BlockingReasons { get; init; }

    /// <summary>All workers that are alive: what each one does, for which class and for how long.</summary>
    public required IReadOnlyList<WorkerSnapshot> Workers { get; init; }

    /// <summary>
    /// The code that blocks the workers: at most ten entries. Code that blocks the most workers now comes first, then the longest total time.
    /// </summary>
    public required IReadOnlyList<Blocker> Blockers { get; init; }

    /// <summary>
    /// How long the oldest waiting item has waited, estimated to about 0.1 s; zero when no item waits. For in-flight work, which does not run in the order in
    /// which it was queued, the time is a rough estimate.
    /// </summary>
    public required TimeSpan OldestWait { get; init; }

    /// <summary>
    /// How long work waits in the runtime's pool beside this one, as last measured; zero while neither pool is used, and if
    /// <see cref="AdaptivePoolOptions.WatchRuntimePool"/> is off.
    /// </summary>
    public TimeSpan RuntimePoolDelay { get; init; }

    /// <summary>Whether the pool is deadlocked; see <see cref="AdaptiveThreadPool.DeadlockChanged"/>.</summary>
    public required bool IsDeadlocked { get; init; }

    /// <summary>The number of times the pool was deadlocked.</summary>
    public required long Deadlocks { get; init; }

    /// <summary>What the pool has done since <see cref="AdaptiveThreadPool.ResetStatistics"/>.</summary>
    public required PoolStatistics Statistics { get; init; }

    /// <summary>
    /// The number of waits of items by what they waited for, with the names of <see cref="Blocker.Kind"/>: "lock", "Task.Wait", "Thread.Sleep" and so on. It
    /// contains waits that have ended, since the pool was created. Not all waits are counted; <see cref="Blocker"/> explains which.
    /// </summary>
    public required IReadOnlyDictionary<string, long> Waits { get; init; }

    /// <summary>
    /// The items that wait, if they were requested (<see cref="AdaptiveThreadPool.GetSnapshot(int)"/>); empty otherwise. Items in a worker's own queue are not
    /// included; <see cref="Queued"/> counts them.
    /// </summary>
    public IReadOnlyList<QueuedItemSnapshot> QueuedItems { get; init; } = [];

    /// <summary>The groups that the threads are divided into; one group unless something else is set.</summary>
    public required IReadOnlyList<ThreadGroupSnapshot> Groups { get; init; }

    /// <summary>
    /// The work classes. The class named <see cref="WorkClass.InFlightName"/>, "(in flight)", is the work that continues work that has already started.
    /// </summary>
    public required IReadOnlyList<WorkClassSnapshot> Classes { get; init; }

    /// <summary>
    /// The state of the elastic part (<see cref="AdaptiveThreadPool.Elastic"/>), whose numbers are not in those of this snapshot; <see langword="null"/> if the
    /// pool has none.
    /// </summary>
    public PoolSnapshot? Elastic { get; init; }
}
