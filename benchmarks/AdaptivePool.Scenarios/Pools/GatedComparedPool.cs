using System.Diagnostics;
using System.Threading.RateLimiting;
using AdaptivePool.Admission;
using AdaptivePool.Scenarios.Load;

namespace AdaptivePool.Scenarios.Pools;

/// <summary>A pool, the runtime's own unless another is given, behind a limiter: who waits there holds no thread. Work of other classes than that of
/// transactions passes by it.</summary>
/// <param name="name">Name of the pool.</param>
/// <param name="limiter">The limiter; disposed by nobody, the process ends with it.</param>
/// <param name="inner">The pool behind it; null: the runtime's own.</param>
public class GatedComparedPool(string name, RateLimiter limiter, ComparedPool? inner = null) : ComparedPool
{
    /// <summary>Longer than any case: in a closed loop a refusal would be an error of the scenario.</summary>
    public static readonly TimeSpan Patience = TimeSpan.FromMinutes(10);

    private readonly ComparedPool _pool = inner ?? new RuntimeComparedPool();

    /// <inheritdoc/>
    public override string Name => name;

    /// <summary>The limiter.</summary>
    public RateLimiter Limiter => limiter;

    /// <summary>The same way without the limiter.</summary>
    public ComparedClass Ungated => new(item => _ = RunAsync(new GatedItem(_pool, item).RunAsync), function => RunAsync(() => _pool.Run(function)));

    /// <summary>Times from being let in to the end.</summary>
    public LatencyHistogram Inside { get; } = new();

    /// <inheritdoc/>
    public override TaskFactory Factory => _pool.Factory;

    /// <summary>A gate whose limit is set by hand.</summary>
    public static GatedComparedPool Fixed(int limit, TimeSpan patience)
        => new($"gated-{limit}", new TransactionGate(Options(patience, o => o.PermitLimit = limit)));

    /// <summary>A gate that finds its limit.</summary>
    public static GatedComparedPool Adaptive(string name, int? start, TimeSpan patience)
        => new(name, new TransactionGate(Options(patience, o => (o.Adaptive, o.PermitLimit) = (true, start ?? 0))));

    /// <summary>The limiter of .NET, behind ASP.NET Core's rate limiter.</summary>
    public static GatedComparedPool Framework(string name, int limit) =>
        new(name, new ConcurrencyLimiter(
            new ConcurrencyLimiterOptions { PermitLimit = limit, QueueLimit = int.MaxValue, QueueProcessingOrder = QueueProcessingOrder.OldestFirst }));

    /// <inheritdoc/>
    public override void Queue(IThreadPoolWorkItem item, bool preferLocal) => _ = PassAsync(new GatedItem(_pool, item).RunAsync);

    /// <inheritdoc/>
    public override Task Run(Action action) => PassAsync(() => _pool.Run(action));

    /// <inheritdoc/>
    public override Task Run(Func<Task> function) => PassAsync(() => _pool.Run(function));

    /// <inheritdoc/>
    public override ComparedClass GetClass(string name) => name == HandSetComparedPool.LimitedClass ? Whole : _pool.GetClass(name);

    /// <inheritdoc/>
    public override PoolReading Read() => _pool.Read();

    /// <summary>Passes, or says why not.</summary>
    /// <returns>The refusal; null when it ran.</returns>
    public async Task<RateLimitLease?> TryPassAsync(Func<Task> run)
    {
        RateLimitLease lease = await limiter.AcquireAsync().ConfigureAwait(false);
        if (!lease.IsAcquired)
        {
            return lease;
        }

        using (lease)
        {
            await RunAsync(run).ConfigureAwait(false);
            return null;
        }
    }

    /// <summary>What all gates of the scenarios have in common.</summary>
    protected static TransactionGateOptions Options(TimeSpan patience, Action<TransactionGateOptions> configure)
    {
        TransactionGateOptions options = new() { QueueTimeout = patience, FlowsWithContext = false, QueueLimit = 100_000 };
        configure(options);
        return options;
    }

    private async Task PassAsync(Func<Task> run)
    {
        if (await TryPassAsync(run).ConfigureAwait(false) is not null)
        {
            throw new InvalidOperationException("The limiter refused.");
        }
    }

    private async Task RunAsync(Func<Task> run)
    {
        long start = Stopwatch.GetTimestamp();
        await run().ConfigureAwait(false);
        Inside.Add(Stopwatch.GetTimestamp() - start);
    }

    /// <summary>A work item whose end can be awaited.</summary>
    private sealed class GatedItem(ComparedPool pool, IThreadPoolWorkItem item) : TaskCompletionSource, IThreadPoolWorkItem
    {
        public Task RunAsync()
        {
            pool.Queue(this, preferLocal: false);
            return Task;
        }

        public void Execute()
        {
            item.Execute();
            SetResult();
        }
    }
}
