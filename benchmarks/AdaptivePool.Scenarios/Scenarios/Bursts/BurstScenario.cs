using System.Globalization;
using AdaptivePool.Scenarios.Harness;
using AdaptivePool.Scenarios.Pools;

namespace AdaptivePool.Scenarios.Scenarios.Bursts;

/// <summary>Loads that the thread pools of databases are told to be bad at: bursts after inactivity, long work that does not yield, a device that is too
/// slow.</summary>
public sealed class BurstScenario : Scenario
{
    /// <summary>Name of the row of MariaDB's own pool.</summary>
    public const string MariaDb = "mariadb";

    private const string AfterInactivity = "after-inactivity";
    private const string AfterInactivityTold = "after-inactivity-told";
    private const string NonYielding = "non-yielding";
    private const string NonYieldingApart = "non-yielding-apart";
    private const string InsufficientIops = "insufficient-iops";
    private const string Database = AdaptiveComparedPool.DatabaseName;
    private bool _wantsMariaDb = true;

    /// <summary>How long superfluous threads stay, in all pools: short, so that a round is.</summary>
    public static TimeSpan IdleTimeout { get; } = TimeSpan.FromSeconds(1);

    /// <inheritdoc/>
    public override string Name => "bursts";

    /// <inheritdoc/>
    public override string Description =>
        "loads that are hard for database thread pools: bursts after inactivity, long work that does not yield, a slow device";

    /// <inheritdoc/>
    public override IReadOnlyList<ScenarioCase> Cases { get; } =
    [
        new(AfterInactivity, "200 requests at once that sleep 50 ms, each time after the pool has ended its idle threads"),
        new(AfterInactivityTold, "the same; each request declares its wait to the pool, as in a database") { DefaultPools = ["adaptive", Database] },
        new(NonYielding, "four requests a core that compute for 1 s, and a short one every 5 ms"),
        new(NonYieldingApart, "the same, with the short requests in a separate class") { DefaultPools = ["runtime", "adaptive", Database] },
        new(InsufficientIops, "64 clients of a device that does 200 operations a second, and a short request every 5 ms in a separate class"),
    ];

    /// <inheritdoc/>
    public override IReadOnlyList<MetricInfo> Metrics { get; } =
    [
        new("threads-before", "threads"),
        new("answer-p50-ms", "ms", Better.Lower),
        new("answer-p99-ms", "ms", Better.Lower),
        new("all-answered-ms", "ms", Better.Lower),
        new("short-p99-ms", "ms", Better.Lower),
        new("long-all-done-s", "s", Better.Lower),
        new("operations-per-s", "1/s", Better.Higher),
        new("operation-p99-ms", "ms", Better.Lower),
        new("peak-threads", "threads", Better.Lower),
        new("threads-steady", "threads", Better.Lower),
    ];

    /// <inheritdoc/>
    public override IReadOnlyList<string> DefaultPools => ["runtime", "adaptive", Database, MariaDb];

    /// <inheritdoc/>
    public override string? PoolNote =>
        $"'{MariaDb}' is MariaDB's own pool (thread_handling=pool-of-threads): the same requests as statements over open connections. Without the program "
        + "mariadbd it is skipped.";

    /// <inheritdoc/>
    public override void Configure(RunOptions options) => _wantsMariaDb = options.Pools.Count == 0 || options.Pools.Contains(MariaDb);

    /// <inheritdoc/>
    public override void CheckPool(string pool)
    {
        if (pool != MariaDb)
        {
            base.CheckPool(pool);
        }
    }

    /// <inheritdoc/>
    public override async Task<ScenarioEnvironment> PrepareAsync(
        IReadOnlyList<ScenarioCase> cases, Action<string> say, CancellationToken cancellationToken) =>
        await BurstEnvironment.StartAsync(_wantsMariaDb, cancellationToken);

    /// <inheritdoc/>
    public override async Task<IReadOnlyList<MeasuredValue>> MeasureAsync(RoundContext round, CancellationToken cancellationToken)
    {
        Dictionary<string, string> environment = new(StringComparer.Ordinal)
        {
            ["DOTNET_ThreadPool_ThreadTimeoutMs"] = ((int)IdleTimeout.TotalMilliseconds).ToString(CultureInfo.InvariantCulture),
        };
        using ChildProcess child = new(round.ToRequest() with { Environment = environment });
        return await child.WaitAsync(round.TimeLimit, cancellationToken);
    }

    /// <inheritdoc/>
    public override void RunChild(ChildContext child)
    {
        BurstServer server = child.PoolName == MariaDb ? new MariaDbBurstServer(child) : new PoolBurstServer(child, PoolOf(child));
        switch (child.Case)
        {
            case AfterInactivity or AfterInactivityTold:
                InactivityRun.Run(child, server, tells: child.Case == AfterInactivityTold);
                break;
            case InsufficientIops:
                DeviceRun.Run(child, server);
                break;
            default:
                NonYieldingRun.Run(child, server, apart: child.Case == NonYieldingApart);
                break;
        }
    }

    private static ComparedPool PoolOf(ChildContext child) => child.PoolName switch
    {
        "adaptive" => new AdaptiveComparedPool(idleTimeout: IdleTimeout),
        Database => new AdaptiveComparedPool(idleTimeout: IdleTimeout, preset: PoolPreset.DatabaseCompatible),
        _ => child.Pool,
    };
}
