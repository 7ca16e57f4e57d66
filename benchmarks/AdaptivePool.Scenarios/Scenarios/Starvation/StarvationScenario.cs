using System.Diagnostics;
using AdaptivePool.Scenarios.Harness;
using AdaptivePool.Scenarios.Load;

namespace AdaptivePool.Scenarios.Scenarios.Starvation;

/// <summary>Items that block in the kernel, all at once, on a cold pool.</summary>
public sealed class StarvationScenario : Scenario
{
    private const int MixedBlockers = 100;
    private const int ShortPerBlocker = 10;
    private const double ShortMilliseconds = 0.1;

    /// <inheritdoc/>
    public override string Name => "starvation";

    /// <inheritdoc/>
    public override string Description => "items that sleep, queued at once to a cold pool, and a probe behind them";

    /// <inheritdoc/>
    public override IReadOnlyList<ScenarioCase> Cases { get; } =
    [
        new("200x1s", "200 items that sleep 1 s"),
        new("1000x100ms", "1,000 items that sleep 100 ms"),
        new("mixed", "100 items that sleep 1 s, each followed by 10 items of 0.1 ms CPU"),
    ];

    /// <inheritdoc/>
    public override IReadOnlyList<MetricInfo> Metrics { get; } =
    [
        new("all-done-s", "s", Better.Lower),
        new("probe-start-ms", "ms", Better.Lower),
        new("peak-threads", "threads"),
    ];

    /// <inheritdoc/>
    public override void RunChild(ChildContext child)
    {
        CpuBurner burner = child.CreateBurner();
        BlockerBatch batch = child.Case switch
        {
            "200x1s" => BlockerBatch.Sleepers(200, 1_000),
            "1000x100ms" => BlockerBatch.Sleepers(1_000, 100),
            _ => BlockerBatch.Mixed(MixedBlockers, 1_000, ShortPerBlocker, () => burner.Burn(ShortMilliseconds)),
        };
        PeakSampler sampler = new(child.Pool);
        TimeSpan limit = child.Seconds(120, 14);
        long start = Stopwatch.GetTimestamp();
        batch.QueueAll(child.Pool);
        bool done = batch.Wait(limit);
        double seconds = done ? batch.EndedAfter(start).TotalSeconds : limit.TotalSeconds;
        TimeSpan? probe = batch.ProbeStartedAfter;
        child.Report("all-done-s", seconds, censored: !done);
        child.Report("probe-start-ms", (probe ?? limit).TotalMilliseconds, censored: probe is null);
        child.Report("peak-threads", sampler.Peak);
    }
}
