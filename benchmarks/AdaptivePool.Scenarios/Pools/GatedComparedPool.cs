using System.Threading.RateLimiting;
using AdaptivePool.Admission;

namespace AdaptivePool.Scenarios.Pools;

/// <summary>The runtime's own pool behind a transaction gate: who waits at the gate holds no thread. Work of other classes than that of transactions passes by it.</summary>
public sealed class GatedComparedPool(int limit) : ComparedPool
{
    private readonly RuntimeComparedPool _pool = new();

    // Longer than any case: here a refusal would be an error of the scenario.
    private readonly TransactionGate _gate = new(new TransactionGateOptions { MaxTransactions = limit, QueueTimeout = TimeSpan.FromMinutes(10), FlowsWithContext = false });

    /// <inheritdoc/>
    public override string Name => $"gated-{limit}";

    /// <inheritdoc/>
    public override TaskFactory Factory => _pool.Factory;

    /// <inheritdoc/>
    public override void Queue(IThreadPoolWorkItem item, bool preferLocal) => _ = PassAsync(new GatedItem(item).RunAsync);

    /// <inheritdoc/>
    public override Task Run(Action action) => PassAsync(() => _pool.Run(action));

    /// <inheritdoc/>
    public override Task Run(Func<Task> function) => PassAsync(() => _pool.Run(function));

    /// <inheritdoc/>
    public override ComparedClass GetClass(string name) => name == HandSetComparedPool.LimitedClass ? Whole : _pool.GetClass(name);

    /// <inheritdoc/>
    public override PoolReading Read() => _pool.Read();

    private async Task PassAsync(Func<Task> run)
    {
        using RateLimitLease lease = await _gate.AcquireAsync().ConfigureAwait(false);
        if (!lease.IsAcquired)
        {
            throw new InvalidOperationException("The gate refused.");
        }

        await run().ConfigureAwait(false);
    }

    /// <summary>A work item whose end can be awaited.</summary>
    private sealed class GatedItem(IThreadPoolWorkItem item) : TaskCompletionSource, IThreadPoolWorkItem
    {
        public Task RunAsync()
        {
            ThreadPool.UnsafeQueueUserWorkItem(this, preferLocal: false);
            return Task;
        }

        public void Execute()
        {
            item.Execute();
            SetResult();
        }
    }
}
