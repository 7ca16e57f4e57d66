using System.Diagnostics;
using System.Threading.RateLimiting;
using AdaptivePool.Admission;
using AdaptivePool.Scenarios.Harness;
using AdaptivePool.Scenarios.Load;
using AdaptivePool.Scenarios.Pools;

namespace AdaptivePool.Scenarios.Scenarios.Postgres;

/// <summary>Clients that do not wait for answers: transactions arrive at twice the rate that a closed loop reached just before, warm, in the same
/// child.</summary>
public sealed class OpenLoopRun(ChildContext child)
{
    private const int Clients = 64;
    private const int Overload = 2;
    private static readonly TimeSpan s_queueTimeout = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan s_draining = TimeSpan.FromMinutes(1);
    private readonly Transactions _bank = new TpcB(child.Setting(PostgresEnvironment.ConnectionSetting));
    private readonly LatencyHistogram _latency = new();
    private long _done;
    private long _refused;
    private long _unadvised;
    private long _failed;

    /// <summary>Warms up, finds the capacity, then offers twice as much.</summary>
    public void Measure(TimeSpan warmUp, TimeSpan closed, TimeSpan open)
    {
        ComparedPool pool = WithTimeout(child.Pool);
        if (pool is KeptComparedPool kept)
        {
            _bank.Keep(kept.Gate);
        }

        ClosedLoop loop = new(pool.Whole, Clients, null, _bank.RunAsync);
        loop.Allow(Clients);
        Thread.Sleep(warmUp);
        long before = loop.Completed;
        RateRecorder rates = RateRecorder.Record(() => loop.Completed - before, Stopwatch.GetTimestamp(), closed);
        loop.Drain(s_draining);

        double capacity = rates.Rate(0, rates.Seconds);
        (pool as GatedComparedPool)?.Inside.Clear();
        _bank.Inside.Clear();
        Offer(pool, Overload * capacity, open);
        double goodput = Interlocked.Read(ref _done) / open.TotalSeconds;
        double refused = Interlocked.Read(ref _refused) / open.TotalSeconds;
        child.Report("capacity-tps", capacity);
        child.Report("tps", goodput);
        child.Report("goodput-percent-of-capacity", 100 * goodput / capacity);
        child.Report("refused-per-s", refused);
        child.Report("refused-percent", 100 * refused / (Overload * capacity));
        child.Report("refused-without-retry-after", Interlocked.Read(ref _unadvised));
        child.Report("errors", Interlocked.Read(ref _failed));
        Report("p99-ms", _latency);
        Report("p99-inside-ms", (pool as GatedComparedPool)?.Inside ?? _bank.Inside);
    }

    /// <summary>The same pool with a gate that refuses.</summary>
    private static ComparedPool WithTimeout(ComparedPool pool) => pool switch
    {
        AdaptiveGatedComparedPool
            => throw new UsageException($"The case {PostgresCases.OpenLoop} cannot run on pool '{pool.Name}': it asks for permits outside of the pool."),
        Gradient2ComparedPool => new Gradient2ComparedPool(s_queueTimeout),
        GatedComparedPool { Limiter: TransactionGate gate } when gate.GetSnapshot().Adaptive is null
            => GatedComparedPool.Fixed(gate.PermitLimit, s_queueTimeout),
        GatedComparedPool { Limiter: TransactionGate gate } => GatedComparedPool.Adaptive(pool.Name, gate.PermitLimit, s_queueTimeout),
        KeptComparedPool { Gate: var gate } => new KeptComparedPool(pool.Name, gate.PermitLimit, gate.GetSnapshot().Adaptive is not null, s_queueTimeout),
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
                Refused(refusal.TryGetMetadata(MetadataName.RetryAfter, out _));
                return;
            }

            Interlocked.Increment(ref _done);
            _latency.Add(Stopwatch.GetTimestamp() - start);
        }
        catch (TransactionRefusedException refusal)
        {
            Refused(refusal.RetryAfter is not null);
        }
        catch (Exception exception) when (exception is Npgsql.NpgsqlException or InvalidOperationException or TimeoutException)
        {
            Interlocked.Increment(ref _failed);
        }
    }

    private void Refused(bool isAdvised)
    {
        Interlocked.Increment(ref _refused);
        if (!isAdvised)
        {
            Interlocked.Increment(ref _unadvised);
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
