namespace AdaptivePool.Scenarios.Pools;

/// <summary>One fixed size for all work.</summary>
public sealed class FixedComparedPool(int size) : ComparedPool
{
    private readonly FixedPool _pool = new(size);

    /// <inheritdoc/>
    public override string Name => $"fixed-{size}";

    /// <inheritdoc/>
    public override TaskFactory Factory => _pool.Factory;

    /// <inheritdoc/>
    public override void Queue(IThreadPoolWorkItem item, bool preferLocal) => _pool.Add(item);

    /// <inheritdoc/>
    public override Task Run(Action action) => _pool.Factory.StartNew(action);

    /// <inheritdoc/>
    public override Task Run(Func<Task> function) => _pool.Run(function);

    /// <inheritdoc/>
    public override PoolReading Read() => new(size, _pool.Busy, size, size);
}
