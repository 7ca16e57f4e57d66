using System.Diagnostics;
using AdaptivePool.Scenarios.Harness;
using AdaptivePool.Scenarios.Scenarios.Postgres;

namespace AdaptivePool.Scenarios.Scenarios.Web;

/// <summary>A Kestrel server in the child, with the hop or without; the load comes from the parent.</summary>
public sealed class WebScenario : Scenario
{
    private const string SyncDb = WebCases.SyncDb;
    private const string AsyncDb = WebCases.AsyncDb;
    private const string Starved = "starved";
    private const string Hubs = "hubs";
    private const string Trust = "trust";
    private const string Calm = "calm";

    private WebOptions _options = WebOptions.Default;

    /// <inheritdoc/>
    public override string Name => "web";

    /// <inheritdoc/>
    public override string Description => "requests to a Kestrel server over loopback, on the runtime's pool and on workers of this pool (adaptive)";

    /// <inheritdoc/>
    public override IReadOnlyList<ScenarioCase> Cases { get; } =
    [
        new("hello", "64 connections, an endpoint that only answers") { DefaultRounds = 5 },
        new("hello-256", "256 connections on the same endpoint") { DefaultRounds = 5 },
        Answering("yield", "64 connections, an endpoint that answers after Task.Yield()"),
        Answering("json", "64 connections, an endpoint that answers a small document"),
        Answering("static-file", "64 connections, a small file by the framework's static files"),
        Answering("sync-query", "64 connections, an endpoint with one synchronous query (needs PostgreSQL)"),
        Answering("async-query", "64 connections, an endpoint with one asynchronous query (needs PostgreSQL)"),
        Answering(Calm, "20 requests a second of seven awaits each beside 64 connections on /hello, in the first 6 s of the app; everything counts"),
        Answering(WebCases.Start, "the first answer of an app, from the start of its process; 8 connections with an asynchronous query in the 3 s after "
            + "(needs PostgreSQL)"),
        .. WebCases.Paced.Select(static c => Answering(c.Key, c.Value.Description)),
        new(Trust, "256 connections on an endpoint that only answers for 5 s and then sleeps 1 s in every request, while others ask /hello 100 times a second") { IsDefault = false, IsQuick = false },
        new("sleep-20ms", "256 connections, an endpoint that sleeps 20 ms"),
        new(SyncDb, "256 connections, an endpoint with one synchronous transaction (needs PostgreSQL)"),
        .. WebCases.Closed.Where(static c => c.Value.NeedsDatabase && c.Value.Path is WebServer.SyncDb or WebServer.AsyncDb && c.Key != SyncDb)
            .Select(static c => Gated(c.Key, c.Value)),
        new("sync-over-async", "64 connections, an endpoint that calls .Result on an await of 50 ms"),
        new("cpu", "16 connections, an endpoint that uses 5 ms of CPU"),
        new(Starved, "256 connections on endpoints that block (a 50 ms sleep; sync over async), while others ask /hello and /health 100 times a second each"),
        new(Hubs, "64 SignalR connections whose hub calls sleep 1 s, while others ask /hello 100 times a second") { IsQuick = false },
    ];

    /// <inheritdoc/>
    public override IReadOnlyList<MetricInfo> Metrics { get; } =
    [
        new("requests-per-s", "1/s", Better.Higher),
        .. ServerCpu.Metrics,
        new("p50-ms", "ms", Better.Lower),
        new("p99-ms", "ms", Better.Lower),
        new("kept-of-peak-percent", "%", Better.Higher),
        .. StarvedRun.Metrics,
        .. HubRun.Metrics,
        .. TrustRun.Metrics,
        .. CalmRun.Metrics,
        .. StartRun.Metrics,
        .. PacedRun.Metrics,
        new("answers-429", "requests", Better.Lower),
        new("answers-503", "requests", Better.Lower),
        new("errors", "requests", Better.Lower),
    ];

    /// <inheritdoc/>
    public override string? PoolNote =>
        "web has the pools runtime, adaptive, adaptive-without-guests (every request moves to a worker), gated-N and gated-adaptive (adaptive with a "
            + "transaction gate, of N or one that finds its limit, before the endpoints of the database). Append '-without-spinning' to any: threads of "
            + "the runtime's pool then sleep as soon as they find no work. kept-of-peak-percent compares with the best number of connections of the same pool "
            + "(async-db-N).";

    /// <inheritdoc/>
    public override async Task<ScenarioEnvironment> PrepareAsync(IReadOnlyList<ScenarioCase> cases, Action<string> say, CancellationToken cancellationToken) =>
        await WebEnvironment.StartAsync(cases.Any(c => WebCases.NeedsDatabase(c.Name)), say, cancellationToken);

    /// <inheritdoc/>
    public override IReadOnlyList<ScenarioOption> Options => WebOptions.Known;

    /// <inheritdoc/>
    public override void Configure(RunOptions options) => _options = WebOptions.Read(options);

    /// <inheritdoc/>
    public override void CheckPool(string pool) => Check(pool);

    /// <summary>Refuses a pool that no server has.</summary>
    /// <exception cref="UsageException">There is none of this name.</exception>
    public static void Check(string pool)
    {
        string server = WebPool.Parse(pool).Server;
        if (server is not ("runtime" or "adaptive" or WebServer.WithoutGuests) && !WebServer.IsGated(server))
        {
            throw new UsageException(
                $"A web server cannot run on pool '{pool}'. Pools: runtime, adaptive, {WebServer.WithoutGuests}, gated-N with 1 to 9999 transactions, "
                + $"gated-adaptive; each with '{WebPool.WithoutSpinning}' behind it.");
        }
    }

    /// <inheritdoc/>
    public override async Task<IReadOnlyList<MeasuredValue>> MeasureAsync(RoundContext round, CancellationToken cancellationToken)
    {
        WebPool pool = WebPool.Parse(round.Pool);
        long startedAt = Stopwatch.GetTimestamp();
        using ChildProcess server = new(round.ToRequest() with { Pool = pool.Server, Environment = pool.Environment });
        Uri address = new(await server.WaitReadyAsync(WebServer.StartLimit, cancellationToken));
        if (round.Case.Name == WebCases.Start)
        {
            return await StartRun.MeasureAsync(address, server, startedAt, cancellationToken);
        }

        if (round.Case.Name == Starved)
        {
            return await StarvedRun.MeasureAsync(address, TimeSpan.FromSeconds(round.Quick ? 5 : 10), cancellationToken);
        }

        if (round.Case.Name == Hubs)
        {
            return await HubRun.MeasureAsync(address, cancellationToken);
        }

        if (round.Case.Name == Trust)
        {
            return await TrustRun.MeasureAsync(address, TimeSpan.FromSeconds(round.Quick ? 5 : 8), cancellationToken);
        }

        ServerCpu cpu = new(server);
        if (round.Case.Name == Calm)
        {
            return await CalmRun.MeasureAsync(address, cpu, _options.Connections, cancellationToken);
        }

        if (WebCases.Paced.TryGetValue(round.Case.Name, out PacedCase? paced))
        {
            TimeSpan duration = TimeSpan.FromSeconds(round.Quick ? 10 : 20);
            return await PacedRun.MeasureAsync(address, paced, cpu, _options.WarmUp, duration, cancellationToken);
        }

        WebCase web = WebCases.Closed[round.Case.Name];
        HttpLoad load = new(new Uri(address, web.Path), _options.Connections ?? web.Connections);
        double seconds = await load.RunAsync(_options.WarmUp, TimeSpan.FromSeconds(round.Quick ? 4 : 6), cancellationToken, cpu.Look);
        List<MeasuredValue> measured =
            [new("requests-per-s", load.Answered / seconds), new("errors", load.Failed + (web.NeedsDatabase ? 0 : load.TooMany + load.Unavailable))];
        if (web.NeedsDatabase)
        {
            measured.Add(new("answers-429", load.TooMany));
            measured.Add(new("answers-503", load.Unavailable));
        }

        if (load.Answered > 0)
        {
            measured.AddRange(cpu.PerRequest(load.Answered));
            measured.Add(new("p50-ms", load.Latency.Milliseconds(0.5)));
            measured.Add(new("p99-ms", load.Latency.Milliseconds(0.99)));
        }

        return measured;
    }

    /// <inheritdoc/>
    public override void RunChild(ChildContext child) => WebServer.Run(child);

    /// <inheritdoc/>
    public override void Derive(ResultSet results) => PostgresShares.AddKeptOfPeak(results, "requests-per-s", AsyncDb, [16, 256, 1_024]);

    private static ScenarioCase Answering(string name, string description) => new(name, description) { IsDefault = false, IsQuick = false, DefaultRounds = 5 };

    private static ScenarioCase Gated(string name, WebCase web) =>
        new(name, $"{web.Connections:N0} connections, an endpoint with one {(web.Path == WebServer.AsyncDb ? "asynchronous" : "synchronous")} transaction "
            + "(needs PostgreSQL)")
        {
            IsDefault = false,
            IsQuick = false,
            DefaultPools = ["runtime", "adaptive", "gated-8", "gated-adaptive"],
        };
}
