using System.Diagnostics;
using System.Threading.RateLimiting;
using AdaptivePool.Admission;

namespace AdaptivePool.Scenarios.Pools;

/// <summary>
/// The pool of this project, with a gate before its class of transactions: their items ask for the permit on the pool, so that whoever waits holds no thread,
/// and what follows is work in flight. Other classes pass by the gate.
/// </summary>
public sealed class AdaptiveGatedComparedPool : GatedComparedPool
{
    private readonly ComparedClass _transactions;

    private AdaptiveGatedComparedPool(string name, TransactionGate gate, AdaptiveComparedPool pool)
        : base(name, gate, pool)
    {
        _transactions = pool.GetClass(HandSetComparedPool.LimitedClass);
    }

    /// <summary>Creates the pool and its gate.</summary>
    /// <param name="name">Name of the pool.</param>
    /// <param name="configure">Sets the limit.</param>
    public static AdaptiveGatedComparedPool Create(string name, Action<TransactionGateOptions> configure) =>
        new(name, new TransactionGate(Options(Patience, configure)), new AdaptiveComparedPool());

    /// <inheritdoc/>
    public override void Queue(IThreadPoolWorkItem item, bool preferLocal) => _ = Run(() =>
    {
        item.Execute();
        return Task.CompletedTask;
    });

    /// <inheritdoc/>
    public override Task Run(Action action) => Run(() =>
    {
        action();
        return Task.CompletedTask;
    });

    /// <inheritdoc/>
    public override Task Run(Func<Task> function) => _transactions.Run(() => PassOnPoolAsync(function));

    private async Task PassOnPoolAsync(Func<Task> function)
    {
        using RateLimitLease lease = await Limiter.AcquireAsync();
        if (!lease.IsAcquired)
        {
            throw new InvalidOperationException("The limiter refused.");
        }

        long start = Stopwatch.GetTimestamp();
        await function();
        Inside.Add(Stopwatch.GetTimestamp() - start);
    }
}
