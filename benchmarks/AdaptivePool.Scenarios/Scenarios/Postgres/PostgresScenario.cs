using System.Globalization;
using AdaptivePool.Scenarios.Harness;

namespace AdaptivePool.Scenarios.Scenarios.Postgres;

/// <summary>Transactions against a real PostgreSQL on the same machine.</summary>
public sealed class PostgresScenario : Scenario
{
    /// <summary>The case whose connections take a second to authenticate.</summary>
    public const string SlowConnect = "slow-connect";

    private const string Cold = "sync-cold-1024";
    private const string Mixture = "mixture";
    private const string Switch = "partner-to-database";
    private const string Hysteresis = "hysteresis";
    private const string Sync = "sync-";
    private const string Async = "async-";
    private static readonly int[] s_clients = [8, 16, 32, 64, 128, 256, 512, 1_024];

    /// <inheritdoc/>
    public override string Name => "postgres";

    /// <inheritdoc/>
    public override string Description => "pgbench's TPC-B through Npgsql in a closed loop, on a cluster that the scenario starts and removes";

    /// <inheritdoc/>
    public override IReadOnlyList<ScenarioCase> Cases { get; } =
    [
        new(Cold, "1,024 clients, synchronous, cold start") { DefaultPools = ["runtime", "adaptive", "fixed-4", "fixed-8", "fixed-16"] },
        new(Mixture, "512 clients of transactions, 512 of 50 ms sleeps, in two classes") { DefaultPools = ["runtime", "adaptive", "fixed-600", "fixed-8+592"] },
        new(SlowConnect, "1,024 clients, synchronous, 1 s to authenticate") { DefaultPools = ["runtime", "adaptive", "fixed-8"] },
        new(Switch, "1,024 clients that sleep 50 ms, then all turn to transactions, in two classes") { DefaultPools = ["runtime", "adaptive", "fixed-8+1016"] },
        new(Hysteresis, "64 clients, then 1,024, then 64 again") { IsQuick = false, DefaultPools = ["runtime", "adaptive", "fixed-8", "fixed-64"] },
        .. s_clients.Select(n => Sized(Sync, n, "synchronous")),
        .. s_clients.Select(n => Sized(Async, n, "asynchronous")),
    ];

    /// <inheritdoc/>
    public override IReadOnlyList<MetricInfo> Metrics { get; } =
    [
        new("tps", "1/s", Better.Higher),
        new("tps-second-half", "1/s", Better.Higher),
        new("partner-per-s", "1/s", Better.Higher),
        new("partner-per-s-second-half", "1/s", Better.Higher),
        new("p99-ms", "ms", Better.Lower),
        new("peak-threads", "threads"),
        new("errors", "items", Better.Lower),
        new("kept-of-peak-percent", "%", Better.Higher),
        .. PostgresShares.Metrics,
    ];

    /// <inheritdoc/>
    public override string? PoolNote =>
        "share-of-best-fixed-percent compares with the best fixed-N or fixed-A+B pool of the same run; kept-of-peak-percent compares with the best client count of the same pool "
        + "(sync-N, async-N) or with the time before the excursion (hysteresis).";

    /// <inheritdoc/>
    public override async Task<ScenarioEnvironment> PrepareAsync(IReadOnlyList<ScenarioCase> cases, Action<string> say, CancellationToken cancellationToken) =>
        await PostgresEnvironment.StartAsync(say, cancellationToken);

    /// <inheritdoc/>
    public override void RunChild(ChildContext child)
    {
        PostgresRun run = new(child);
        switch (child.Case)
        {
            case Cold or SlowConnect:
                run.MeasureLoop(1_024, child.Seconds(12, 6), synchronous: true);
                break;
            case Mixture:
                run.MeasureMixture(512, 512, child.Seconds(12, 7));
                break;
            case Switch:
                run.MeasureSwitch(1_024, child.Seconds(4, 3), child.Seconds(8, 5));
                break;
            case Hysteresis:
                run.MeasureHysteresis(64, 1_024, child.Seconds(5, 4));
                break;
            case var name when name.StartsWith(Sync, StringComparison.Ordinal):
                run.MeasureLoop(ClientsOf(name, Sync), child.Seconds(8, 4), synchronous: true);
                break;
            case var name:
                run.MeasureLoop(ClientsOf(name, Async), child.Seconds(8, 4), synchronous: false);
                break;
        }
    }

    /// <inheritdoc/>
    public override void Derive(ResultSet results)
    {
        PostgresShares.AddSharesOfBestFixed(results);
        PostgresShares.AddKeptOfPeak(results, Sync, s_clients);
        PostgresShares.AddKeptOfPeak(results, Async, s_clients);
    }

    /// <summary>Every count can be asked for; three of them run by default.</summary>
    private static ScenarioCase Sized(string kind, int clients, string how) =>
        new(kind + clients.ToString(CultureInfo.InvariantCulture), $"{clients:N0} clients, {how}") { IsDefault = clients is 8 or 64 or 1_024, IsQuick = false };

    private static int ClientsOf(string name, string prefix) => int.Parse(name.AsSpan(prefix.Length), CultureInfo.InvariantCulture);
}
