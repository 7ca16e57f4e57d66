using System.Diagnostics;
using System.Threading.RateLimiting;
using AdaptivePool.Admission;
using AdaptivePool.Scenarios.Harness;
using AdaptivePool.Scenarios.Load;
using AdaptivePool.Scenarios.Pools;

namespace AdaptivePool.Scenarios.Scenarios.Postgres;

/// <summary>Clients that do not wait for answers: transactions arrive at twice the rate that a closed loop reached just before, in the child.</summary>
public sealed class OpenLoopRun(ChildContext child)
{
    private const int Clients = 64;
    private const int Overload = 2;
    private static readonly TimeSpan s_queueTimeout = TimeSpan.FromSeconds(1);
    private readonly Transactions _bank = new TpcB(child.Setting(PostgresEnvironment.ConnectionSetting));
    private readonly LatencyHistogram _latency = new();
    private long _done;
    private long _refused;
    private long _unadvised;
    private long _failed;

    /// <summary>Finds the capacity, then offers twice as much.</summary>
    public void Measure(TimeSpan closed, TimeSpan open)
    {
        ComparedPool pool = WithTimeout(child.Pool);
        ClosedLoop loop = new(pool.Whole, Clients, null, _bank.RunAsync);
        long start = Stopwatch.GetTimestamp();
        loop.Allow(Clients);
        RateRecorder rates = RateRecorder.Record(() => loop.Completed, start, closed);
        loop.Allow(0);
        double capacity = rates.Rate(rates.Seconds / 2, rates.Seconds);
        Offer(pool, Overload * capacity, open);
        double seconds = open.TotalSeconds;
        child.Report("capacity-tps", capacity);
        child.Report("tps", Interlocked.Read(ref _done) / seconds);
        child.Report("goodput-percent-of-capacity", 100 * Interlocked.Read(ref _done) / seconds / capacity);
        child.Report("refused-per-s", Interlocked.Read(ref _refused) / seconds);
        child.Report("refused-without-retry-after", Interlocked.Read(ref _unadvised));
        child.Report("errors", Interlocked.Read(ref _failed));
        Report("p99-ms", _latency);
        if (pool is GatedComparedPool gated)
        {
            Report("p99-inside-ms", gated.Inside);
        }
    }

    /// <summary>The same pool with a gate that refuses.</summary>
    private static ComparedPool WithTimeout(ComparedPool pool) => pool switch
    {
        Gradient2ComparedPool => new Gradient2ComparedPool(s_queueTimeout),
        GatedComparedPool { Limiter: TransactionGate gate } when gate.GetSnapshot().Adaptive is null => GatedComparedPool.Fixed(gate.MaxTransactions, s_queueTimeout),
        GatedComparedPool { Limiter: TransactionGate gate } => GatedComparedPool.Adaptive(pool.Name, gate.MaxTransactions, s_queueTimeout),
        KeptComparedPool => throw new UsageException($"The case {PostgresCases.OpenLoop} cannot run on pool '{pool.Name}': its gate is in its data source and refuses nobody in time."),
        _ => pool,
    };

    private void Offer(ComparedPool pool, double perSecond, TimeSpan duration)
    {
        long start = Stopwatch.GetTimestamp();
        long sent = 0;
        while (Stopwatch.GetElapsedTime(start) is var elapsed && elapsed < duration)
        {
            for (long due = (long)(perSecond * elapsed.TotalSeconds); sent < due; sent++)
            {
                _ = ArriveAsync(pool);
            }

            Thread.Sleep(1);
        }
    }

    private async Task ArriveAsync(ComparedPool pool)
    {
        long start = Stopwatch.GetTimestamp();
        try
        {
            if (pool is not GatedComparedPool gated)
            {
                await pool.Run(_bank.RunAsync);
            }
            else if (await gated.TryPassAsync(() => Task.Run(_bank.RunAsync)) is { } refusal)
            {
                Interlocked.Increment(ref _refused);
                if (!refusal.TryGetMetadata(MetadataName.RetryAfter, out _))
                {
                    Interlocked.Increment(ref _unadvised);
                }

                return;
            }

            Interlocked.Increment(ref _done);
            _latency.Add(Stopwatch.GetTimestamp() - start);
        }
        catch (Exception exception) when (exception is Npgsql.NpgsqlException or InvalidOperationException or TimeoutException)
        {
            Interlocked.Increment(ref _failed);
        }
    }

    private void Report(string metric, LatencyHistogram latency)
    {
        double p99 = latency.Milliseconds(0.99);
        if (double.IsFinite(p99))
        {
            child.Report(metric, p99);
        }
    }
}
