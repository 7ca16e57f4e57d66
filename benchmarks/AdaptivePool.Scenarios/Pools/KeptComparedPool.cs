using AdaptivePool.Admission;

namespace AdaptivePool.Scenarios.Pools;

/// <summary>The runtime's own pool; asynchronous transactions pass the gate in a data source that keeps their connections, the one used last first.</summary>
/// <param name="name">Name of the pool.</param>
/// <param name="limit">Limit of the gate; where it finds one, the limit it begins at, and null for its default.</param>
/// <param name="isAdaptive">Whether the gate finds its limit.</param>
/// <param name="patience">Longest wait at the gate.</param>
public sealed class KeptComparedPool(string name, int? limit, bool isAdaptive, TimeSpan patience) : ComparedPool
{
    private readonly RuntimeComparedPool _pool = new();

    /// <inheritdoc/>
    public override string Name => name;

    /// <summary>The gate.</summary>
    public TransactionGate Gate { get; } =
        new(new TransactionGateOptions { PermitLimit = limit ?? 0, Adaptive = isAdaptive, QueueTimeout = patience, QueueLimit = 100_000 });

    /// <inheritdoc/>
    public override TaskFactory Factory => _pool.Factory;

    /// <inheritdoc/>
    public override void Queue(IThreadPoolWorkItem item, bool preferLocal) => _pool.Queue(item, preferLocal);

    /// <inheritdoc/>
    public override Task Run(Action action) => _pool.Run(action);

    /// <inheritdoc/>
    public override Task Run(Func<Task> function) => _pool.Run(function);

    /// <inheritdoc/>
    public override PoolReading Read() => _pool.Read();
}
