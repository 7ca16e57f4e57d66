namespace AdaptivePool.Scenarios.Pools;

/// <summary>A limit set by hand: one fixed pool for transactions, another for everything else.</summary>
public sealed class HandSetComparedPool(int transactions, int others) : ComparedPool
{
    /// <summary>The class that gets a pool of its own.</summary>
    public const string LimitedClass = "transactions";

    private readonly FixedPool _transactions = new(transactions);
    private readonly FixedPool _others = new(others);

    /// <inheritdoc/>
    public override string Name => $"fixed-{transactions}+{others}";

    /// <inheritdoc/>
    public override TaskFactory Factory => _others.Factory;

    /// <inheritdoc/>
    public override void Queue(IThreadPoolWorkItem item, bool preferLocal) => _others.Add(item);

    /// <inheritdoc/>
    public override Task Run(Action action) => _others.Factory.StartNew(action);

    /// <inheritdoc/>
    public override Task Run(Func<Task> function) => _others.Run(function);

    /// <inheritdoc/>
    public override ComparedClass GetClass(string name)
    {
        FixedPool pool = name == LimitedClass ? _transactions : _others;
        return new(pool.Add, pool.Run);
    }

    /// <inheritdoc/>
    public override PoolReading Read()
    {
        int size = _transactions.Size + _others.Size;
        return new(size, _transactions.Busy + _others.Busy, size, size);
    }
}
