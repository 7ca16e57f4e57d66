using System.Diagnostics;
using AdaptivePool.Scenarios.Harness;
using AdaptivePool.Scenarios.Load;

namespace AdaptivePool.Scenarios.Scenarios.SyncOverAsync;

/// <summary>Items that wait for an asynchronous function whose continuation needs a thread of the same pool.</summary>
public sealed class SyncOverAsyncScenario : Scenario
{
    private const string Steady = "steady-arrivals";
    private const int InnerMilliseconds = 50;
    private const int ArrivalsPerSecond = 200;

    /// <inheritdoc/>
    public override string Name => "sync-over-async";

    /// <inheritdoc/>
    public override string Description => "items that call .Result on a function with a plain await of 50 ms, on a cold pool";

    /// <inheritdoc/>
    public override IReadOnlyList<ScenarioCase> Cases { get; } =
    [
        new("200", "200 items at once"),
        new("2000", "2,000 items at once"),
        new(Steady, "200 items at once, which block every worker, and 200 new ones a second for 5 s"),
    ];

    /// <inheritdoc/>
    public override IReadOnlyList<MetricInfo> Metrics { get; } =
    [
        new("all-done-s", "s", Better.Lower),
        new("finished-percent", "%", Better.Higher),
        new("p99-ms", "ms", Better.Lower),
        new("peak-threads", "threads"),
    ];

    /// <inheritdoc/>
    public override void RunChild(ChildContext child)
    {
        bool steady = child.Case == Steady;
        int atOnce = child.Case == "2000" ? 2_000 : 200;
        double seconds = steady ? child.Seconds(5, 2).TotalSeconds : 0;
        int count = atOnce + (int)(seconds * ArrivalsPerSecond);
        PeakSampler sampler = new(child.Pool);
        LatencyHistogram latency = new();
        TimeSpan limit = child.Seconds(120, 20);
        using CountdownEvent remaining = new(count);
        long start = Stopwatch.GetTimestamp();
        for (int i = 0; i < count; i++)
        {
            double dueAt = Math.Max(0, i - atOnce) / (double)ArrivalsPerSecond;
            while (Stopwatch.GetElapsedTime(start).TotalSeconds < dueAt)
            {
                Thread.Sleep(1);
            }

            long sentAt = Stopwatch.GetTimestamp();
            child.Pool.Run(() =>
            {
                if (InnerAsync().Result == InnerMilliseconds)
                {
                    latency.Add(Stopwatch.GetTimestamp() - sentAt);
                    remaining.Signal();
                }
            });
        }

        bool done = remaining.Wait(limit);
        TimeSpan elapsed = Stopwatch.GetElapsedTime(start);
        child.Report("all-done-s", (done ? elapsed : limit).TotalSeconds, censored: !done);
        child.Report("finished-percent", 100.0 * (count - remaining.CurrentCount) / count);
        child.Report("p99-ms", done ? latency.Milliseconds(0.99) : limit.TotalMilliseconds, censored: !done);
        child.Report("peak-threads", sampler.Peak);
    }

    private static async Task<int> InnerAsync()
    {
        await Task.Delay(InnerMilliseconds);
        return InnerMilliseconds;
    }
}
