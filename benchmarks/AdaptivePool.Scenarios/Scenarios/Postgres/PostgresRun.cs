using System.Diagnostics;
using AdaptivePool.Admission;
using AdaptivePool.Scenarios.Harness;
using AdaptivePool.Scenarios.Load;
using AdaptivePool.Scenarios.Pools;

namespace AdaptivePool.Scenarios.Scenarios.Postgres;

/// <summary>The loads of the postgres scenario, in the child.</summary>
public sealed class PostgresRun(ChildContext child)
{
    private const string Partner = "partner";
    private const int PartnerMilliseconds = 50;
    private static readonly TimeSpan s_lookEvery = TimeSpan.FromMilliseconds(20);
    private readonly Transactions _bank = Transactions.Create(PostgresCases.WorkloadOf(child.Case), child.Setting(PostgresEnvironment.ConnectionSetting));
    private readonly PeakSampler _sampler = new(child.Pool);

    /// <summary>One kind of client, from a cold pool.</summary>
    public void MeasureLoop(int clients, TimeSpan duration, bool synchronous)
    {
        ComparedClass target = child.Pool.Whole;
        if (child.Pool is KeptComparedPool kept)
        {
            if (synchronous)
            {
                throw new UsageException("The kept-N pools have asynchronous cases only: who waits in a synchronous call holds a thread.");
            }

            _bank.Keep(kept.Gate);
        }

        ClosedLoop loop = synchronous ? new(target, clients, _bank.Run) : new(target, clients, null, _bank.RunAsync);
        long start = Stopwatch.GetTimestamp();
        loop.Allow(clients);
        List<int>? limits = PostgresCases.IsProtocol(child.Case) ? FollowVerified(start, duration) : null;
        RateRecorder rates = RateRecorder.Record(() => loop.Completed, start, duration);
        ReportRates("tps", rates);
        if (limits is not null)
        {
            limits.Sort();
            child.Report("optimum-threads", limits[limits.Count / 2]);
        }

        ReportEnd(loop);
    }

    /// <summary>One kind of transaction, then another, from the same clients.</summary>
    public void MeasureChange(int clients, TimeSpan before, TimeSpan after)
    {
        Transactions other = Transactions.Create(Workload.TpcB, child.Setting(PostgresEnvironment.ConnectionSetting));
        Transactions current = other;
        ClosedLoop loop = new(child.Pool.Whole, clients, () => Volatile.Read(ref current).Run());
        long start = Stopwatch.GetTimestamp();
        loop.Allow(clients);
        ReportRates("tps", RateRecorder.Record(() => loop.Completed, start, before));
        Volatile.Write(ref current, _bank);
        long completed = loop.Completed;
        start = Stopwatch.GetTimestamp();
        child.Report("changed-tps-second-half", SecondHalf(RateRecorder.Record(() => loop.Completed - completed, start, after)));
        ReportEnd(loop);
    }

    /// <summary>Two kinds of clients in two classes, from a cold pool.</summary>
    public void MeasureMixture(int transactions, int partners, TimeSpan duration)
    {
        ClosedLoop database = new(child.Pool.GetClass(HandSetComparedPool.LimitedClass), transactions, _bank.Run);
        ClosedLoop partner = new(child.Pool.GetClass(Partner), partners, CallPartner);
        long start = Stopwatch.GetTimestamp();
        database.Allow(transactions);
        partner.Allow(partners);
        RateRecorder? partnerRates = null;
        Thread second = new(() => partnerRates = RateRecorder.Record(() => partner.Completed, start, duration)) { IsBackground = true };
        second.Start();
        RateRecorder rates = RateRecorder.Record(() => database.Completed, start, duration);
        second.Join();
        ReportRates("tps", rates);
        ReportRates("partner-per-s", partnerRates!);
        ReportEnd(database);
    }

    /// <summary>All clients call the partner; then all turn to the database.</summary>
    public void MeasureSwitch(int clients, TimeSpan before, TimeSpan after)
    {
        ClosedLoop partner = new(child.Pool.GetClass(Partner), clients, CallPartner);
        ClosedLoop database = new(child.Pool.GetClass(HandSetComparedPool.LimitedClass), clients, _bank.Run);
        long start = Stopwatch.GetTimestamp();
        partner.Allow(clients);
        RateRecorder partnerRates = RateRecorder.Record(() => partner.Completed, start, before);
        partner.Allow(0);
        start = Stopwatch.GetTimestamp();
        database.Allow(clients);
        RateRecorder rates = RateRecorder.Record(() => database.Completed, start, after);
        ReportRates("tps", rates);
        ReportRates("partner-per-s", partnerRates);
        ReportEnd(database);
    }

    /// <summary>A few clients, an excursion to many, and the few again: what of the first rate is left.</summary>
    public void MeasureHysteresis(int few, int many, TimeSpan phase)
    {
        ClosedLoop loop = new(child.Pool.Whole, many, _bank.Run);
        RateRecorder before = Phase(loop, few, phase);
        Phase(loop, many, phase);
        RateRecorder after = Phase(loop, few, phase);
        double first = SecondHalf(before);
        double last = SecondHalf(after);
        child.Report("tps", first);
        child.Report("kept-of-peak-percent", 100 * last / first);
        ReportEnd(loop);
    }

    /// <summary>The sizes that the pool found good in the last third of the run; null for pools that look for none.</summary>
    private List<int>? FollowVerified(long start, TimeSpan duration)
    {
        if (child.Pool is not AdaptiveComparedPool adaptive)
        {
            return null;
        }

        List<int> limits = [];
        new Thread(() =>
        {
            Thread.Sleep(duration * 2 / 3);
            while (Stopwatch.GetElapsedTime(start) < duration - s_lookEvery)
            {
                limits.Add(adaptive.Verified);
                Thread.Sleep(s_lookEvery);
            }
        })
        { IsBackground = true, Name = "sizes" }.UnsafeStart();
        return limits;
    }

    private static RateRecorder Phase(ClosedLoop loop, int clients, TimeSpan duration)
    {
        long completed = loop.Completed;
        long start = Stopwatch.GetTimestamp();
        loop.Allow(clients);
        return RateRecorder.Record(() => loop.Completed - completed, start, duration);
    }

    private static double SecondHalf(RateRecorder rates) => rates.Rate(rates.Seconds / 2, rates.Seconds);

    private static void CallPartner() => Thread.Sleep(PartnerMilliseconds);

    private void ReportRates(string metric, RateRecorder rates)
    {
        child.Report(metric, rates.Rate(0, rates.Seconds));
        child.Report(metric + "-second-half", SecondHalf(rates));
    }

    private void ReportEnd(ClosedLoop database)
    {
        double p99 = database.Latency.Milliseconds(0.99);
        if (double.IsFinite(p99))
        {
            child.Report("p99-ms", p99);
        }

        if (child.Pool is GatedComparedPool gated && gated.Inside.Milliseconds(0.99) is var inside && double.IsFinite(inside))
        {
            child.Report("p99-inside-ms", inside);
        }

        TransactionGate? gate = (child.Pool as GatedComparedPool)?.Limiter as TransactionGate ?? (child.Pool as KeptComparedPool)?.Gate;
        if (gate is not null)
        {
            child.Report("limit", gate.GetSnapshot().Adaptive?.Verified ?? gate.MaxTransactions);
        }

        child.Report("peak-threads", _sampler.Peak);
        if (_bank.PeakThreads > 0)
        {
            child.Report("peak-database-threads", _bank.PeakThreads);
        }

        child.Report("errors", database.Failed);
        if (database.FirstFailure is { } failure)
        {
            Console.Error.WriteLine(failure);
        }
    }
}
