namespace AdaptivePool.Scenarios.Pools;

/// <summary>What scenarios ask of a pool, whoever made it.</summary>
public abstract class ComparedPool
{
    /// <summary>Name on the command line and in results.</summary>
    public abstract string Name { get; }

    /// <summary>Tasks on this pool.</summary>
    public abstract TaskFactory Factory { get; }

    /// <summary>Queues a work item without capturing the ExecutionContext.</summary>
    public abstract void Queue(IThreadPoolWorkItem item, bool preferLocal);

    /// <summary>Runs an action the way an application would.</summary>
    public abstract Task Run(Action action);

    /// <summary>Runs an asynchronous function whose awaits come back to the pool.</summary>
    public abstract Task Run(Func<Task> function);

    /// <summary>The whole pool, for work of one kind.</summary>
    public ComparedClass Whole => new(item => Queue(item, preferLocal: false), Run);

    /// <summary>The part of the pool that serves one kind of work; the whole pool where there are no parts.</summary>
    public virtual ComparedClass GetClass(string name) => Whole;

    /// <summary>Another pool of this kind with a bound.</summary>
    /// <param name="maxThreads">Most threads.</param>
    /// <param name="maxClasses">Most parts, where there are parts.</param>
    /// <exception cref="Harness.ScenarioUnavailableException">The pool has none.</exception>
    public virtual ComparedPool WithMaximum(int maxThreads, int maxClasses)
        => throw new Harness.ScenarioUnavailableException($"The pool '{Name}' has no maximum of threads.");

    /// <summary>How often a parked thread was woken so far, and how often for nothing; <see langword="null"/> where the pool does not tell.</summary>
    public virtual (long All, long Useless)? Wakes => null;

    /// <summary>What the pool looks like now.</summary>
    public abstract PoolReading Read();
}
