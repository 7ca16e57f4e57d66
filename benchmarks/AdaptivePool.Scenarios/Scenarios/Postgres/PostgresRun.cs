using System.Diagnostics;
using AdaptivePool.Scenarios.Harness;
using AdaptivePool.Scenarios.Load;
using AdaptivePool.Scenarios.Pools;

namespace AdaptivePool.Scenarios.Scenarios.Postgres;

/// <summary>The loads of the postgres scenario, in the child.</summary>
/// <param name="child">The child.</param>
/// <param name="synchronous">Whether transactions, and calls of the partner, hold a thread.</param>
public sealed class PostgresRun(ChildContext child, bool synchronous)
{
    private const string Partner = "partner";
    private const int PartnerMilliseconds = 50;
    private static readonly TimeSpan s_lookEvery = TimeSpan.FromMilliseconds(20);
    private readonly PostgresWork _work = new(child, synchronous);
    private readonly PeakSampler _sampler = new(child.Pool);

    /// <summary>One kind of client, from a cold pool.</summary>
    public void MeasureLoop(int clients, TimeSpan duration)
    {
        ClosedLoop loop = Loop(child.Pool.Whole, clients);
        long start = Stopwatch.GetTimestamp();
        loop.Allow(clients);
        ReportRates("tps", RateRecorder.Record(() => loop.Completed, start, duration));
        ReportEnd(loop);
    }

    /// <summary>One kind of client for long enough to judge a size that is found.</summary>
    /// <param name="clients">Number of clients.</param>
    /// <param name="warmUp">Time that does not count.</param>
    /// <param name="duration">How long it counts.</param>
    public void MeasureFound(int clients, TimeSpan warmUp, TimeSpan duration)
    {
        ClosedLoop loop = Loop(child.Pool.Whole, clients);
        Phase(loop, clients, warmUp);
        loop.Latency.Clear();
        List<int>? sizes = FollowVerified(Stopwatch.GetTimestamp(), duration);
        ReportRates("tps", Phase(loop, clients, duration));
        if (sizes is not null)
        {
            sizes.Sort();
            child.Report("optimum-threads", sizes[sizes.Count / 2]);
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
        Volatile.Write(ref current, _work.Bank);
        long completed = loop.Completed;
        start = Stopwatch.GetTimestamp();
        child.Report("changed-tps-second-half", RateRecorder.Record(() => loop.Completed - completed, start, after).SecondHalf);
        ReportEnd(loop);
    }

    /// <summary>Two kinds of clients in two classes, from a cold pool.</summary>
    public void MeasureMixture(int transactions, int partners, TimeSpan duration)
    {
        ClosedLoop database = Loop(child.Pool.GetClass(HandSetComparedPool.LimitedClass), transactions);
        ClosedLoop partner = PartnerLoop(partners);
        long start = Stopwatch.GetTimestamp();
        database.Allow(transactions);
        partner.Allow(partners);
        RateRecorder[] rates = RateRecorder.Record([() => database.Completed, () => partner.Completed], start, duration);
        ReportRates("tps", rates[0]);
        ReportPartner(rates[1], partners);
        ReportEnd(database);
    }

    /// <summary>All clients call the partner; then all turn to the database.</summary>
    public void MeasureSwitch(int clients, TimeSpan before, TimeSpan after)
    {
        ClosedLoop partner = PartnerLoop(clients);
        ClosedLoop database = Loop(child.Pool.GetClass(HandSetComparedPool.LimitedClass), clients);
        long start = Stopwatch.GetTimestamp();
        partner.Allow(clients);
        RateRecorder partnerRates = RateRecorder.Record(() => partner.Completed, start, before);
        partner.Allow(0);
        start = Stopwatch.GetTimestamp();
        database.Allow(clients);
        RateRecorder rates = RateRecorder.Record(() => database.Completed, start, after);
        ReportRates("tps", rates);
        ReportPartner(partnerRates, clients);
        ReportEnd(database);
    }

    /// <summary>A few clients, an excursion to many, and the few again: what of the first rate is left.</summary>
    public void MeasureHysteresis(int few, int many, TimeSpan phase)
    {
        ClosedLoop loop = Loop(child.Pool.Whole, many);
        RateRecorder before = Phase(loop, few, phase);
        Phase(loop, many, phase);
        RateRecorder after = Phase(loop, few, phase);
        child.Report("tps", before.SecondHalf);
        child.Report("kept-of-peak-percent", 100 * after.SecondHalf / before.SecondHalf);
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

    private ClosedLoop Loop(ComparedClass target, int clients) => synchronous ? new(target, clients, _work.Bank.Run)
        : new(target, clients, null, _work.Bank.RunAsync);

    private ClosedLoop PartnerLoop(int clients)
    {
        ComparedClass target = child.Pool.GetClass(Partner);
        return synchronous ? new(target, clients, static () => Thread.Sleep(PartnerMilliseconds))
            : new(target, clients, null, static () => Task.Delay(PartnerMilliseconds));
    }

    private void ReportRates(string metric, RateRecorder rates)
    {
        child.Report(metric, rates.Rate(0, rates.Seconds));
        child.Report(metric + "-second-half", rates.SecondHalf);
    }

    private void ReportPartner(RateRecorder rates, int clients)
    {
        ReportRates("partner-per-s", rates);
        child.Report("partner-percent-of-ideal", 100 * rates.Rate(0, rates.Seconds) * PartnerMilliseconds / (1_000.0 * clients));
        child.Report("partner-second-half-percent-of-ideal", 100 * rates.SecondHalf * PartnerMilliseconds / (1_000.0 * clients));
    }

    private void ReportEnd(ClosedLoop database)
    {
        _work.ReportP99("p99-ms", database.Latency);
        if (_work.InsideOf(_work.Bank, database) is var inside && inside != database.Latency)
        {
            _work.ReportP99("p99-inside-ms", inside);
        }

        _work.ReportLimit();
        _work.ReportPeaks(_sampler);
        _work.ReportErrors(database);
    }
}
