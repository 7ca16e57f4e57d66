namespace AdaptivePool.Scenarios.Pools;

/// <summary>The runtime's own pool: the baseline.</summary>
public sealed class RuntimeComparedPool : ComparedPool
{
    /// <inheritdoc/>
    public override string Name => "runtime";

    /// <inheritdoc/>
    public override TaskFactory Factory { get; } = new(CancellationToken.None, TaskCreationOptions.DenyChildAttach, TaskContinuationOptions.None, TaskScheduler.Default);

    /// <inheritdoc/>
    public override void Queue(IThreadPoolWorkItem item, bool preferLocal) => ThreadPool.UnsafeQueueUserWorkItem(item, preferLocal);

    /// <inheritdoc/>
    public override Task Run(Action action) => Task.Run(action);

    /// <inheritdoc/>
    public override Task Run(Func<Task> function) => Task.Run(function);

    /// <summary>The same pool, the only one of the process.</summary>
    public override ComparedPool WithMaximum(int maxThreads, int maxClasses)
    {
        ThreadPool.SetMaxThreads(maxThreads, maxThreads);
        return this;
    }

    /// <inheritdoc/>
    public override PoolReading Read()
    {
        int threads = ThreadPool.ThreadCount;
        return new(threads, threads, threads, threads);
    }
}
