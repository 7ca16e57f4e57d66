using AdaptivePool.Scenarios.Harness;
using AdaptivePool.Scenarios.Load;

namespace AdaptivePool.Scenarios.Scenarios.BlockingIo;

/// <summary>A closed loop of items that use a little CPU and sleep a while, or only use CPU.</summary>
public sealed class BlockingIoScenario : Scenario
{
    private const string Steady = "400x(0.2ms+20ms)";
    private const string Ramp = "ramp";
    private const string Growth = "growth";
    private const string Hogs = "cpu-hogs";
    private const string LongHogs = "cpu-hogs-1.5s";

    /// <inheritdoc/>
    public override string Name => "blocking-io";

    /// <inheritdoc/>
    public override string Description => "how fast and how far a cold pool grows for items that block, and that it does not grow for items that compute";

    /// <inheritdoc/>
    public override IReadOnlyList<ScenarioCase> Cases { get; } =
    [
        new(Steady, "400 clients, 0.2 ms CPU and 20 ms sleep per item"),
        new(Ramp, "2 clients, then 1,000 at once, then 2 again, same items"),
        new(Growth, "2 -> 1000 clients over 10 s, doubling, same items") { DefaultRounds = 2, IsDefault = false, IsQuick = false },
        new(Hogs, "32 clients, 50 ms CPU per item"),
        new(LongHogs, "32 clients, 1.5 s CPU per item"),
    ];

    /// <inheritdoc/>
    public override IReadOnlyList<MetricInfo> Metrics { get; } =
    [
        new("rate-1s", "items/s", Better.Higher),
        new("rate-3s", "items/s", Better.Higher),
        new("rate-steady", "items/s", Better.Higher),
        new("ideal-rate", "items/s"),
        new("recover-up-s", "s", Better.Lower),
        new("recover-down-s", "s", Better.Lower),
        .. BlockingIoShares.Metrics,
        new("threads-steady", "threads"),
        new("target-steady", "threads"),
        new("peak-threads", "threads"),
    ];

    /// <inheritdoc/>
    public override void RunChild(ChildContext child)
    {
        switch (child.Case)
        {
            case Steady:
                ClosedLoopRun.Measure(child, new ItemCost(0.2, 20), child.Seconds(12, 6), static _ => 400);
                break;
            case Ramp:
                new RampRun(child, new ItemCost(0.2, 20), 1_000).Measure(2, 1_000, child.Seconds(4, 2), child.Seconds(10, 5), child.Seconds(6, 4));
                break;
            case Growth:
                TimeSpan growth = child.Seconds(10, 8);
                ClosedLoopRun.Measure(child, new ItemCost(0.2, 20), growth + child.Seconds(5, 4), at => GrowingClients(at / growth));
                break;
            case Hogs:
                ClosedLoopRun.Measure(child, new ItemCost(50, 0), child.Seconds(10, 6), static _ => 32);
                break;
            default:
                ClosedLoopRun.Measure(child, new ItemCost(1_500, 0), child.Seconds(16, 10), static _ => 32);
                break;
        }
    }

    /// <inheritdoc/>
    public override void Derive(ResultSet results) => BlockingIoShares.Add(results);

    /// <summary>2, 4, 8 ... 512, 1000 in ten equal steps of time.</summary>
    private static int GrowingClients(double share) => share >= 0.9 ? 1_000 : 2 << (int)(share * 10);
}
