using System.Diagnostics;
using AdaptivePool.Scenarios.Harness;
using AdaptivePool.Scenarios.Load;
using AdaptivePool.Scenarios.Pools;
using AdaptivePool.Scenarios.Scenarios.Starvation;

namespace AdaptivePool.Scenarios.Scenarios.Postgres;

/// <summary>
/// A class that hides three kinds of work: its items are transactions, sleeps and CPU in turns, so that no label of the class says what it is. Beside it a
/// second class only answers.
/// </summary>
public sealed class HiddenMixtureRun
{
    private const int Clients = 256;
    private const int SleepMilliseconds = 50;
    private const double CpuMilliseconds = 1;
    private const string Rate = "items-per-s";

    /// <summary>Share of the rate of the second half from which the pool counts as settled, and the length of the stretch that must have it.</summary>
    private const double SettledShare = 0.9;
    private const double SettledSeconds = 2;

    private static readonly TimeSpan s_settling = TimeSpan.FromSeconds(5);
    private static readonly TimeSpan s_answerEvery = TimeSpan.FromMilliseconds(10);
    private readonly ChildContext _child;
    private readonly PostgresWork _work;
    private readonly CpuBurner _burner;
    private long _next;

    /// <summary>Prepares a run.</summary>
    public HiddenMixtureRun(ChildContext child)
    {
        _child = child;
        _work = new PostgresWork(child, synchronous: true);
        _burner = child.CreateBurner();
    }

    /// <summary>The metrics reported here.</summary>
    public static IEnumerable<MetricInfo> Metrics { get; } =
    [
        new(Rate, "1/s", Better.Higher),
        new(Rate + "-second-half", "1/s", Better.Higher),
        new("settled-s", "s", Better.Lower),
        new("answers-p99-ms", "ms", Better.Lower),
        new("answers-settling-p99-ms", "ms", Better.Lower),
    ];

    /// <summary>Runs from a cold pool and reports.</summary>
    public void Measure(TimeSpan duration)
    {
        PeakSampler sampler = new(_child.Pool);
        ShortItems answers = new(_child.Pool.GetClass("answers"), static () => { }, s_answerEvery);
        ClosedLoop loop = new(_child.Pool.GetClass("hidden"), Clients, DoNext);
        long start = Stopwatch.GetTimestamp();
        loop.Allow(Clients);
        RateRecorder rates = RateRecorder.Record(() => loop.Completed, start, duration);
        long end = Stopwatch.GetTimestamp();
        answers.Stop();
        long settled = ShortItems.After(start, s_settling);
        double? settledAt = rates.FirstAtLeast(SettledShare * rates.SecondHalf, SettledSeconds);
        _child.Report(Rate, rates.Rate(0, rates.Seconds));
        _child.Report(Rate + "-second-half", rates.SecondHalf);
        _child.Report("settled-s", settledAt ?? duration.TotalSeconds, censored: settledAt is null);
        _child.Report("answers-p99-ms", answers.Latency(settled, end).TotalMilliseconds);
        _child.Report("answers-settling-p99-ms", answers.Latency(start, settled).TotalMilliseconds);
        _work.ReportPeaks(sampler);
        _work.ReportErrors(loop);
    }

    /// <summary>In turns and not by chance: each kind has exactly a third.</summary>
    private void DoNext()
    {
        switch (Interlocked.Increment(ref _next) % 3)
        {
            case 0:
                _work.Bank.Run();
                break;
            case 1:
                Thread.Sleep(SleepMilliseconds);
                break;
            default:
                _burner.Burn(CpuMilliseconds);
                break;
        }
    }
}
