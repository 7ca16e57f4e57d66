using System.Diagnostics;
using AdaptivePool.Scenarios.Harness;
using AdaptivePool.Scenarios.Load;
using AdaptivePool.Scenarios.Pools;
using AdaptivePool.Scenarios.Scenarios.Starvation;

namespace AdaptivePool.Scenarios.Scenarios.Postgres;

/// <summary>Synchronous clients that come when asynchronous ones, which hold no thread and which no limit holds, have filled the database and the
/// CPU.</summary>
public sealed class CrowdedStartRun
{
    private const int Clients = 256;

    /// <summary>Of so many items of the late clients one is a transaction, where the others are answered from a cache.</summary>
    private const int OneTransactionIn = 5;

    private const double Fifth = 0.2;
    private const double Stretch = 1;
    private const double ScanStep = 0.05;
    private static readonly TimeSpan s_alone = TimeSpan.FromSeconds(4);
    private static readonly TimeSpan s_settling = TimeSpan.FromSeconds(5);
    private static readonly TimeSpan s_askEvery = TimeSpan.FromMilliseconds(10);
    private readonly ChildContext _child;
    private readonly PostgresWork _work;
    private long _next;

    /// <summary>Prepares a run.</summary>
    public CrowdedStartRun(ChildContext child)
    {
        _child = child;
        _work = new PostgresWork(child, synchronous: true);
    }

    /// <summary>The metrics reported here.</summary>
    public static IEnumerable<MetricInfo> Metrics { get; } =
    [
        new("others-alone-per-s", "1/s"),
        new("others-per-s", "1/s", Better.Higher),
        new("late-per-s", "1/s", Better.Higher),
        new("late-first-5s-per-s", "1/s", Better.Higher),
        new("sum-per-s", "1/s", Better.Higher),
        new("late-to-others-percent", "%", Better.Higher),
        new("to-a-fifth-s", "s", Better.Lower),
        new("late-p99-ms", "ms", Better.Lower),
        new("cached-p99-ms", "ms", Better.Lower),
    ];

    /// <summary>Runs and reports. Rates without a word about their time are those from 5 s after the late ones came until the end.</summary>
    /// <param name="crowded">How long both run.</param>
    /// <param name="hasCache">Whether most items of the late clients are answered at once.</param>
    public void Measure(TimeSpan crowded, bool hasCache)
    {
        PeakSampler sampler = new(_child.Pool);
        ClosedLoop others = new(_child.Pool.GetClass("others"), Clients, null, _work.Bank.RunAsync);
        ComparedClass target = _child.Pool.GetClass("late");
        ClosedLoop late = new(target, Clients, hasCache ? DoOrAnswer : _work.Bank.Run);
        others.Allow(Clients);
        RateRecorder alone = RateRecorder.Record(() => others.Completed, Stopwatch.GetTimestamp(), s_alone);
        long before = others.Completed;
        long start = Stopwatch.GetTimestamp();
        ShortItems? cached = hasCache ? new(target, static () => { }, s_askEvery) : null;
        late.Allow(Clients);
        RateRecorder[] rates = RateRecorder.Record([() => late.Completed, () => others.Completed - before], start, crowded);
        long end = Stopwatch.GetTimestamp();
        cached?.Stop();
        Report(alone, rates[0], rates[1]);
        _work.ReportP99("late-p99-ms", late.Latency);
        if (cached is not null)
        {
            _child.Report("cached-p99-ms", cached.Latency(ShortItems.After(start, s_settling), end).TotalMilliseconds);
        }

        _work.ReportPeaks(sampler);
        _work.ReportErrors(late);
    }

    private void Report(RateRecorder alone, RateRecorder late, RateRecorder others)
    {
        double from = s_settling.TotalSeconds;
        double lateRate = late.Rate(from, late.Seconds);
        double othersRate = others.Rate(from, others.Seconds);
        double? fifth = FirstFifth(late, others);
        _child.Report("others-alone-per-s", alone.SecondHalf);
        _child.Report("others-per-s", othersRate);
        _child.Report("late-per-s", lateRate);
        _child.Report("late-first-5s-per-s", late.Rate(0, from));
        _child.Report("sum-per-s", lateRate + othersRate);
        if (othersRate > 0)
        {
            // There is no share of nothing.
            _child.Report("late-to-others-percent", 100 * lateRate / othersRate);
        }

        _child.Report("to-a-fifth-s", fifth ?? late.Seconds, censored: fifth is null);
    }

    /// <summary>When the first second began in which the late ones had a fifth of the others' rate.</summary>
    private static double? FirstFifth(RateRecorder late, RateRecorder others)
    {
        for (double at = 0; at + Stretch <= late.Seconds; at += ScanStep)
        {
            if (late.Rate(at, at + Stretch) is > 0 and var rate && rate >= Fifth * others.Rate(at, at + Stretch))
            {
                return at;
            }
        }

        return null;
    }

    private void DoOrAnswer()
    {
        if (Interlocked.Increment(ref _next) % OneTransactionIn == 0)
        {
            _work.Bank.Run();
        }
    }
}
