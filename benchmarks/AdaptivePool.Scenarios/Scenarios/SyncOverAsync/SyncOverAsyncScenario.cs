using System.Diagnostics;
using AdaptivePool.Scenarios.Harness;
using AdaptivePool.Scenarios.Load;

namespace AdaptivePool.Scenarios.Scenarios.SyncOverAsync;

/// <summary>Items that wait for an asynchronous function whose continuation needs a thread of the same pool.</summary>
public sealed class SyncOverAsyncScenario : Scenario
{
    private const int InnerMilliseconds = 50;

    /// <inheritdoc/>
    public override string Name => "sync-over-async";

    /// <inheritdoc/>
    public override string Description => "items that call .Result on a function with a plain await of 50 ms, on a cold pool";

    /// <inheritdoc/>
    public override IReadOnlyList<ScenarioCase> Cases { get; } =
    [
        new("200", "200 items at once"),
        new("2000", "2,000 items at once") { DefaultRounds = 1 },
    ];

    /// <inheritdoc/>
    public override IReadOnlyList<MetricInfo> Metrics { get; } =
    [
        new("all-done-s", "s", Better.Lower),
        new("peak-threads", "threads"),
    ];

    /// <inheritdoc/>
    public override void RunChild(ChildContext child)
    {
        int count = child.Case == "200" ? 200 : 2_000;
        PeakSampler sampler = new(child.Pool);
        TimeSpan limit = child.Seconds(120, 20);
        using CountdownEvent remaining = new(count);
        long start = Stopwatch.GetTimestamp();
        for (int i = 0; i < count; i++)
        {
            child.Pool.Run(() =>
            {
                if (InnerAsync().Result == InnerMilliseconds)
                {
                    remaining.Signal();
                }
            });
        }

        bool done = remaining.Wait(limit);
        TimeSpan elapsed = Stopwatch.GetElapsedTime(start);
        child.Report("all-done-s", (done ? elapsed : limit).TotalSeconds, censored: !done);
        child.Report("peak-threads", sampler.Peak);
    }

    private static async Task<int> InnerAsync()
    {
        await Task.Delay(InnerMilliseconds);
        return InnerMilliseconds;
    }
}
