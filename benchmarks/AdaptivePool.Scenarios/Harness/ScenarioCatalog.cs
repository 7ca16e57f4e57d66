using AdaptivePool.Scenarios.Scenarios.Blocking;
using AdaptivePool.Scenarios.Scenarios.BlockingIo;
using AdaptivePool.Scenarios.Scenarios.Bursts;
using AdaptivePool.Scenarios.Scenarios.Climb;
using AdaptivePool.Scenarios.Scenarios.Cluster;
using AdaptivePool.Scenarios.Scenarios.Dispatch;
using AdaptivePool.Scenarios.Scenarios.Fleet;
using AdaptivePool.Scenarios.Scenarios.Gate;
using AdaptivePool.Scenarios.Scenarios.Groups;
using AdaptivePool.Scenarios.Scenarios.Idle;
using AdaptivePool.Scenarios.Scenarios.Postgres;
using AdaptivePool.Scenarios.Scenarios.Shares;
using AdaptivePool.Scenarios.Scenarios.Starvation;
using AdaptivePool.Scenarios.Scenarios.SyncOverAsync;
using AdaptivePool.Scenarios.Scenarios.Web;

namespace AdaptivePool.Scenarios.Harness;

/// <summary>The list of all scenarios.</summary>
public static class ScenarioCatalog
{
    /// <summary>All scenarios.</summary>
    public static IReadOnlyList<Scenario> All { get; } =
    [
        new DispatchScenario(),
        new StarvationScenario(),
        new SyncOverAsyncScenario(),
        new BlockingScenario(),
        new BlockingIoScenario(),
        new ClimbScenario(),
        new PostgresScenario(),
        new WebScenario(),
        new WebPairScenario(),
        new GateScenario(),
        new IdleScenario(),
        new ShareScenario(),
        new GroupScenario(),
        new BurstScenario(),
        new ClusterComparison(),
        new FleetComparison(),
    ];

    /// <summary>Finds a scenario.</summary>
    /// <exception cref="UsageException">There is no scenario with this name.</exception>
    public static Scenario Find(string name) =>
        All.FirstOrDefault(s => s.Name == name)
        ?? throw new UsageException($"There is no scenario '{name}'. Scenarios: {string.Join(", ", All.Select(s => s.Name))}; 'list' describes them.");

    /// <summary>Chooses the cases of a scenario: the named ones, or all whose names begin with a given text, or the default ones.</summary>
    /// <exception cref="UsageException">A name matches no case.</exception>
    public static IReadOnlyList<ScenarioCase> ChooseCases(Scenario scenario, RunOptions options)
    {
        if (options.Cases.Count == 0)
        {
            return [.. scenario.Cases.Where(c => options.Quick ? c.IsQuick : c.IsDefault)];
        }

        HashSet<ScenarioCase> chosen = [];
        foreach (string name in options.Cases)
        {
            ScenarioCase[] fitting = [.. scenario.Cases.Where(c => c.Name == name)];
            if (fitting.Length == 0)
            {
                fitting = [.. scenario.Cases.Where(c => c.Name.StartsWith(name, StringComparison.Ordinal))];
            }

            if (fitting.Length == 0)
            {
                throw new UsageException($"Scenario '{scenario.Name}' has no case '{name}'. Cases: {string.Join(", ", scenario.Cases.Select(c => c.Name))}.");
            }

            chosen.UnionWith(fitting);
        }

        return [.. scenario.Cases.Where(chosen.Contains)];
    }

    /// <summary>Prints names, cases and metrics.</summary>
    public static void Print(TextWriter writer)
    {
        foreach (Scenario scenario in All)
        {
            writer.WriteLine($"{scenario.Name}: {scenario.Description}");
            int width = scenario.Cases.Select(static c => c.Name).Concat(scenario.Options.Select(static o => o.Name)).Max(static n => n.Length);
            foreach (ScenarioCase scenarioCase in scenario.Cases)
            {
                string pools = string.Join(',', scenarioCase.DefaultPools ?? scenario.DefaultPools);
                string name = scenarioCase.Name.PadRight(width);
                writer.WriteLine($"  {name} {scenarioCase.Description} [{pools}]{(scenarioCase.IsDefault ? "" : " (only with --cases)")}");
            }

            writer.WriteLine($"  metrics: {string.Join(", ", scenario.Metrics.Select(m => $"{m.Name} ({m.Unit})"))}");
            foreach (ScenarioOption option in scenario.Options)
            {
                writer.WriteLine($"  {option.Name.PadRight(width)} {option.Description}");
            }

            if (scenario.PoolNote is { } note)
            {
                writer.WriteLine($"  {note}");
            }

            writer.WriteLine();
        }

        writer.WriteLine("pools: runtime (the runtime's pool), runtime-N (the same with N threads set by hand), adaptive (AdaptiveThreadPool with default "
            + "options), adaptive-database (adaptive with the preset of database thread pools), adaptive-from-N (adaptive, starting with N threads), "
            + "adaptive-fixed-N (AdaptiveThreadPool with N threads for each class, set by hand), "
            + "fixed-N (N threads over one queue), fixed-A+B (a limit set by hand: A threads for "
            + "transactions, B for everything else), gated-N, gated-adaptive and gated-adaptive-from-N (the runtime's pool behind a transaction gate), "
            + "adaptive-gated-N, adaptive-gated-adaptive and adaptive-gated-adaptive-from-N (adaptive with such a gate before its class of transactions), "
            + "kept-N, kept-adaptive and kept-adaptive-from-N (gated data sources that keep their connections themselves), limiter-N (the framework's "
            + "ConcurrencyLimiter), gradient2 (a gate whose limit is set by Netflix's law)");
    }
}
