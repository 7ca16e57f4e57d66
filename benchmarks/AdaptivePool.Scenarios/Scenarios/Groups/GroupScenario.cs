using AdaptivePool.Scenarios.Harness;
using AdaptivePool.Simulation.Nodes;

namespace AdaptivePool.Scenarios.Scenarios.Groups;

/// <summary>What groups of threads cost, and what becomes of work that nearly all belongs to one of them.</summary>
public sealed class GroupScenario : Scenario
{
    private const int Turns = 3;
    private const string Simulated = "simulated-";
    private const int Items = 400_000;
    private const int QuickItems = 40_000;

    /// <inheritdoc/>
    public override string Name => "groups";

    /// <inheritdoc/>
    public override string Description => "groups of threads: their cost, and work that belongs nearly all to one group";

    /// <inheritdoc/>
    public override IReadOnlyList<ScenarioCase> Cases { get; } =
    [
        new("skew", "64 items of 0.05 ms always wait. In turns: one group; spread over four groups; nine of ten items for one of four groups"),
        .. NodeLoad.Named.Select(static load => new ScenarioCase(
            Simulated + load.Name,
            $"{load.Clients:N0} clients on four simulated NUMA nodes{(load.IsSkewed ? ", nine of ten of one group" : "")}; each number of groups")
        {
            DefaultPools = ["adaptive"],
            DefaultRounds = 1,
        }),
        .. PingPongCase.All.Select(static load => new ScenarioCase(load.Name, load.Description) { DefaultPools = ["adaptive"], DefaultRounds = 1 }),
    ];

    /// <inheritdoc/>
    public override IReadOnlyList<MetricInfo> Metrics { get; } =
    [
        new("one-group-per-s", "items/s", Better.Higher),
        new("spread-per-s", "items/s", Better.Higher),
        new("skewed-per-s", "items/s", Better.Higher),
        new("spread-of-one-group", "x", Better.Higher),
        new("skewed-of-spread", "x", Better.Higher),
        new("spread-wait-p99-ms", "ms", Better.Lower),
        new("skewed-wait-p99-ms", "ms", Better.Lower),
        new("skewed-wait-ratio", "x", Better.Lower),
        new("default-groups", "groups", Better.Lower),
        new("best-groups", "groups", Better.Lower),
        new("best-per-s", "items/s", Better.Higher),
        new("default-of-best", "x", Better.Higher),
        new("one-per-cache-of-best", "x", Better.Higher),
        new("one-per-processor-of-best", "x", Better.Higher),
        new("anywhere-of-bound", "x", Better.Higher),
        new("plain-per-s", "items/s", Better.Higher),
        new("batch-of-plain", "x", Better.Higher),
        new("batch-turns", "of turns", Better.Higher),
        new("batch-on-after-s", "s", Better.Lower),
    ];

    /// <inheritdoc/>
    public override void RunChild(ChildContext child)
    {
        if (child.Case.StartsWith(Simulated, StringComparison.Ordinal))
        {
            Simulate(child, NodeLoad.Named.Single(load => Simulated + load.Name == child.Case));
            return;
        }

        if (PingPongCase.All.FirstOrDefault(load => load.Name == child.Case) is { } clients)
        {
            PingPongRun.Measure(child, clients);
            return;
        }

        var load = new RoutedLoad(child);
        TimeSpan turn = child.Seconds(4, 2);
        RoutedRate[] one = new RoutedRate[Turns], spread = new RoutedRate[Turns], skewed = new RoutedRate[Turns];
        for (int i = 0; i < Turns; i++)
        {
            one[i] = load.Measure(groups: 1, isSkewed: false, turn);
            spread[i] = load.Measure(groups: 4, isSkewed: false, turn);
            skewed[i] = load.Measure(groups: 4, isSkewed: true, turn);
        }

        load.End();
        RoutedRate oneGroup = Middle(one), evenly = Middle(spread), mostlyOne = Middle(skewed);
        child.Report("one-group-per-s", oneGroup.PerSecond);
        child.Report("spread-per-s", evenly.PerSecond);
        child.Report("skewed-per-s", mostlyOne.PerSecond);
        child.Report("spread-of-one-group", evenly.PerSecond / oneGroup.PerSecond);
        child.Report("skewed-of-spread", mostlyOne.PerSecond / evenly.PerSecond);
        child.Report("spread-wait-p99-ms", evenly.TailMilliseconds);
        child.Report("skewed-wait-p99-ms", mostlyOne.TailMilliseconds);
        child.Report("skewed-wait-ratio", mostlyOne.TailMilliseconds / evenly.TailMilliseconds);
    }

    private static void Simulate(ChildContext child, NodeLoad load)
    {
        NodeMachine machine = NodeMachine.Large;
        int items = child.Quick ? QuickItems : Items;
        var bound = new NodeComparison(machine, load, isBound: true, items, seed: 1);
        child.Report("default-groups", bound.DefaultCount);
        child.Report("best-groups", bound.BestCount);
        child.Report("best-per-s", bound.Best);
        child.Report("default-of-best", bound.DefaultShare);
        child.Report("one-per-cache-of-best", bound.ShareOf(machine.Nodes * machine.CachesPerNode));
        child.Report("one-per-processor-of-best", bound.ShareOf(machine.Processors));
        double anywhere = NodeSimulation.PerSecond(machine, load, bound.DefaultCount, isBound: false, items);
        child.Report("anywhere-of-bound", anywhere / (bound.DefaultShare * bound.Best));
    }

    /// <summary>The median of each figure.</summary>
    private static RoutedRate Middle(RoutedRate[] turns) => new(
        turns.Select(static turn => turn.PerSecond).Order().ElementAt(turns.Length / 2),
        turns.Select(static turn => turn.TailMilliseconds).Order().ElementAt(turns.Length / 2));
}
