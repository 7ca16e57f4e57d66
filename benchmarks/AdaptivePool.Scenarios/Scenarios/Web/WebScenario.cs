using AdaptivePool.Scenarios.Harness;

namespace AdaptivePool.Scenarios.Scenarios.Web;

/// <summary>A Kestrel server in the child, with the hop or without; the load comes from the parent.</summary>
public sealed class WebScenario : Scenario
{
    /// <summary>The case that needs a database.</summary>
    public const string SyncDb = "sync-db";

    private const string Starved = "starved";
    private static readonly TimeSpan s_startLimit = TimeSpan.FromSeconds(30);

    private static readonly Dictionary<string, WebCase> s_cases = new(StringComparer.Ordinal)
    {
        ["hello"] = new("/hello", 64),
        ["sleep-20ms"] = new("/sleep", 256),
        [SyncDb] = new("/sync-db", 256),
        ["sync-over-async"] = new("/sync-over-async", 64),
        ["cpu"] = new("/cpu", 16),
    };

    /// <inheritdoc/>
    public override string Name => "web";

    /// <inheritdoc/>
    public override string Description => "requests to a Kestrel server over loopback, without the hop (runtime) and with it (adaptive)";

    /// <inheritdoc/>
    public override IReadOnlyList<ScenarioCase> Cases { get; } =
    [
        new("hello", "64 connections, an endpoint that only answers") { DefaultRounds = 5 },
        new("sleep-20ms", "256 connections, an endpoint that sleeps 20 ms"),
        new(SyncDb, "256 connections, an endpoint with one synchronous transaction (needs PostgreSQL)"),
        new("sync-over-async", "64 connections, an endpoint that calls .Result on an await of 50 ms"),
        new("cpu", "16 connections, an endpoint that uses 5 ms of CPU"),
        new(Starved, "256 connections on endpoints that block (a 50 ms sleep; sync over async), while others ask /hello and /health 100 times a second each"),
    ];

    /// <inheritdoc/>
    public override IReadOnlyList<MetricInfo> Metrics { get; } =
    [
        new("requests-per-s", "1/s", Better.Higher),
        new("p50-ms", "ms", Better.Lower),
        new("p99-ms", "ms", Better.Lower),
        .. StarvedRun.Metrics,
        new("errors", "requests", Better.Lower),
    ];

    /// <inheritdoc/>
    public override string? PoolNote => "web knows the pools runtime and adaptive.";

    /// <inheritdoc/>
    public override async Task<ScenarioEnvironment> PrepareAsync(IReadOnlyList<ScenarioCase> cases, Action<string> say, CancellationToken cancellationToken) =>
        await WebEnvironment.StartAsync(cases.Any(c => c.Name == SyncDb), say, cancellationToken);

    /// <inheritdoc/>
    public override void CheckPool(string pool)
    {
        if (pool is not ("runtime" or "adaptive"))
        {
            throw new UsageException($"Scenario 'web' cannot run on pool '{pool}'. Pools: runtime, adaptive.");
        }
    }

    /// <inheritdoc/>
    public override async Task<IReadOnlyList<MeasuredValue>> MeasureAsync(RoundContext round, CancellationToken cancellationToken)
    {
        using ChildProcess server = new(round.ToRequest());
        Uri address = new(await server.WaitReadyAsync(s_startLimit, cancellationToken));
        if (round.Case.Name == Starved)
        {
            return await StarvedRun.MeasureAsync(address, TimeSpan.FromSeconds(round.Quick ? 5 : 10), cancellationToken);
        }

        WebCase web = s_cases[round.Case.Name];
        HttpLoad load = new(new Uri(address, web.Path), web.Connections);
        double seconds = await load.RunAsync(TimeSpan.FromSeconds(2), TimeSpan.FromSeconds(round.Quick ? 4 : 6), cancellationToken);
        List<MeasuredValue> measured = [new("requests-per-s", load.Answered / seconds), new("errors", load.Failed)];
        if (load.Answered > 0)
        {
            measured.Add(new("p50-ms", load.Latency.Milliseconds(0.5)));
            measured.Add(new("p99-ms", load.Latency.Milliseconds(0.99)));
        }

        return measured;
    }

    /// <inheritdoc/>
    public override void RunChild(ChildContext child) => WebServer.Run(child);
}
