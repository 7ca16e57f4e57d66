namespace AdaptivePool.Scenarios.Pools;

/// <summary>The pool of this project, with default options.</summary>
public sealed class AdaptiveComparedPool : ComparedPool
{
    /// <inheritdoc/>
    public override string Name => "adaptive";

    /// <summary>The pool itself.</summary>
    public AdaptiveThreadPool Pool { get; } = new(new AdaptivePoolOptions { Name = "scenario" });

    /// <inheritdoc/>
    public override TaskFactory Factory => Pool.Factory;

    /// <inheritdoc/>
    public override void Queue(IThreadPoolWorkItem item, bool preferLocal) => Pool.UnsafeQueueUserWorkItem(item, preferLocal);

    /// <inheritdoc/>
    public override Task Run(Action action) => Pool.Run(action);

    /// <inheritdoc/>
    public override Task Run(Func<Task> function) => Pool.Run(function);

    /// <inheritdoc/>
    public override ComparedClass GetClass(string name)
    {
        WorkClass workClass = Pool.GetClass(name);
        return new(workClass.UnsafeQueueUserWorkItem, function => workClass.Run(function));
    }

    /// <inheritdoc/>
    public override PoolReading Read()
    {
        PoolSnapshot snapshot = Pool.GetSnapshot();
        return new(snapshot.Existing, snapshot.Active, snapshot.Target, snapshot.PeakThreads);
    }
}
