using AdaptivePool.Scenarios.Harness;
using AdaptivePool.Simulation.Cluster;

namespace AdaptivePool.Scenarios.Scenarios.Cluster;

/// <summary>Balancers before simulated backends, on virtual time: the founding document's two loads, what was added to them, and eight named ones. A round is a
/// seed.</summary>
public sealed class ClusterComparison : Scenario
{
    private const string NamedPrefix = "named-";
    private const string Scale = "scale";
    private const string Prequal = "prequal";
    private const string P99 = "p99-ms";
    private const string ToPrequal = "p99-to-prequal";
    private const double Percent = 100;
    private const double Milliseconds = 1000;

    /// <summary>What a request that was refused or never answered is counted with, in milliseconds.</summary>
    private const double Never = 60_000;

    private static readonly IReadOnlyList<(ScenarioCase Case, ClusterScenario Scenario)> s_all =
    [
        .. FoundingScenarios.All.Select(s => (Of(s.Name, s), s)),
        .. new[] { FoundingScenarios.Gradual, FoundingScenarios.Spike }.Select(FoundingScenarios.InBatches).Select(s => (Of(s.Name, s), s)),
        .. new[] { FoundingScenarios.FullOfTwo, FoundingScenarios.SpikeAtOnce, FoundingScenarios.SpikeCliff }
            .Select(s => (Of(s.Name, s) with { IsDefault = false, IsQuick = false }, s)),
        .. NamedScenarios.All.Select(s => (Of(NamedPrefix + s.Name, s), s)),
        (Of(Scale, ScaleScenario.Spike) with { IsDefault = false, IsQuick = false, DefaultPools = ["collaborative", "power-of-two"], DefaultRounds = 1 },
            ScaleScenario.Spike),
    ];

    private readonly Dictionary<(string Case, string Pool), List<ClusterTrace>> _traces = [];

    /// <inheritdoc/>
    public override string Name => "cluster";

    /// <inheritdoc/>
    public override string Description => "balancers before simulated backends, on virtual time; a round is a seed";

    /// <inheritdoc/>
    public override IReadOnlyList<ScenarioCase> Cases { get; } = [.. s_all.Select(c => c.Case)];

    /// <inheritdoc/>
    public override IReadOnlyList<MetricInfo> Metrics { get; } =
    [
        new("p50-ms", "ms", Better.Lower),
        new("p90-ms", "ms", Better.Lower),
        new(P99, "ms", Better.Lower),
        new("p90-under-rl-percent", "%", Better.Higher),
        new("p90-under-heuristic-percent", "%", Better.Higher),
        new(ToPrequal, "ratio", Better.Lower),
        new("low-node-utilisation-percent", "%", Better.Higher),
        new("settled-s", "s", Better.Lower),
        new("shed", "requests", Better.Lower),
        new("lost", "requests", Better.Lower),
        new("probes", "messages", Better.Lower),
    ];

    /// <inheritdoc/>
    public override IReadOnlyList<string> DefaultPools => ComparedPolicies.Names;

    /// <inheritdoc/>
    public override IReadOnlyList<ScenarioOption> Options { get; } = [new("--first-seed", "Seed of the first round, 1 or more; default 1.")];

    /// <inheritdoc/>
    public override string? PoolNote =>
        $"cluster compares balancers: {string.Join(", ", ComparedPolicies.Names)}; also {string.Join(", ", ComparedPolicies.Readings)}. round-robin is YARP's "
            + "and HAProxy's, least-requests also HAProxy's leastconn, "
        + "power-of-two also its random(2). A refused request counts as 60 s. p99-to-prequal: compared seed by seed. settled-s: time until the p99 of each "
            + "quarter of a second stays under 1.5 times the value before.";

    /// <inheritdoc/>
    public override bool LoadsMachine => false;

    private int FirstSeed { get; set; } = 1;

    /// <inheritdoc/>
    public override void Configure(RunOptions options)
    {
        if (options.Extra.TryGetValue("--first-seed", out string? text))
        {
            FirstSeed = int.TryParse(text, System.Globalization.CultureInfo.InvariantCulture, out int seed) && seed >= 1
                ? seed
                : throw new UsageException($"--first-seed '{text}' is not a whole number of 1 or more.");
        }
    }

    /// <inheritdoc/>
    public override void CheckPool(string pool)
    {
        if (!ComparedPolicies.Names.Concat(ComparedPolicies.Readings).Contains(pool))
        {
            throw new UsageException($"'cluster' has no pool '{pool}'. Pools: {string.Join(", ", ComparedPolicies.Names.Concat(ComparedPolicies.Readings))}.");
        }
    }

    /// <inheritdoc/>
    public override Task<IReadOnlyList<MeasuredValue>> MeasureAsync(RoundContext round, CancellationToken cancellationToken)
    {
        if (!_traces.TryGetValue((round.Case.Name, round.Pool), out List<ClusterTrace>? earlier))
        {
            _traces[(round.Case.Name, round.Pool)] = earlier = [];
        }

        ClusterScenario scenario = s_all.First(c => c.Case.Name == round.Case.Name).Scenario;
        ClusterTrace trace = ClusterSimulation.Run(scenario, ComparedPolicies.Create(round.Pool), FirstSeed + earlier.Count);
        earlier.Add(trace);
        return Task.FromResult<IReadOnlyList<MeasuredValue>>([.. Values(scenario, trace)]);
    }

    /// <inheritdoc/>
    public override void RunChild(ChildContext child) => throw new InvalidOperationException("'cluster' only computes; it needs no child process.");

    /// <inheritdoc/>
    public override void Derive(ResultSet results)
    {
        foreach ((string caseName, string pool) in _traces.Keys)
        {
            Compare("p90-ms", "rl-dtps", "p90-under-rl-percent", (own, other) => Percent * (1 - (own / other)));
            Compare("p90-ms", "heuristic-dtps", "p90-under-heuristic-percent", (own, other) => Percent * (1 - (own / other)));
            BesidePrequal();

            void Compare(string metric, string peer, string name, Func<double, double, double> relation)
            {
                if (pool != peer && results.Find(caseName, pool, metric) is { } own && results.Find(caseName, peer, metric) is { } other)
                {
                    results.Add(caseName, pool, new(name, relation(own.Median, other.Median)));
                }
            }

            // Seed by seed: the same requests come to both.
            void BesidePrequal()
            {
                if (pool != Prequal && results.Find(caseName, pool, P99) is { } own && results.Find(caseName, Prequal, P99) is { } other)
                {
                    foreach ((double ours, double theirs) in own.Values.Zip(other.Values))
                    {
                        results.Add(caseName, pool, new(ToPrequal, ours / theirs));
                    }
                }
            }
        }
    }

    /// <inheritdoc/>
    public override void Print(ResultSet results)
    {
        base.Print(results);
        foreach (((string caseName, string pool), List<ClusterTrace> traces) in _traces.Where(t => t.Key.Case.StartsWith("gradual", StringComparison.Ordinal)
            || t.Key.Case == "spike"))
        {
            const int Points = 16;
            IReadOnlyList<ClusterSecond> seconds = traces[0].Seconds[0];
            IEnumerable<string> shown = Enumerable.Range(0, Points).Select(i => seconds[i * (seconds.Count - 1) / (Points - 1)])
                .Select(s => $"{s.At:0}s:{s.Threads}");
            Console.Out.WriteLine($"pool of the low machine, {caseName}, {pool}: {string.Join(' ', shown)}");
        }
    }

    private static ScenarioCase Of(string name, ClusterScenario scenario) => new(name, scenario.Description) { DefaultRounds = 10 };

    private static IEnumerable<MeasuredValue> Values(ClusterScenario scenario, ClusterTrace trace)
    {
        yield return Time("p50-ms", trace.Percentile(0.5));
        yield return Time("p90-ms", trace.Percentile(0.9));
        yield return Time(P99, trace.Percentile(0.99));
        yield return new("shed", trace.ShedCount);
        yield return new("lost", trace.LostCount);
        yield return new("probes", trace.Probes);
        double capacity = scenario.Machines[0].CapacityWherePoolIsRate;
        if (double.IsFinite(capacity))
        {
            double from = scenario.Seconds * 0.75;
            yield return new("low-node-utilisation-percent", Percent * trace.CompletedPerSecond(0, from, scenario.Seconds) / capacity);
        }

        if (scenario.ChangesAt is { } change)
        {
            double settled = trace.SettledAfter(change);
            yield return double.IsFinite(settled) ? new("settled-s", settled) : new("settled-s", scenario.Seconds - change, Censored: true);
        }
    }

    private static MeasuredValue Time(string metric, double seconds) =>
        double.IsFinite(seconds) ? new(metric, seconds * Milliseconds) : new(metric, Never, Censored: true);
}
