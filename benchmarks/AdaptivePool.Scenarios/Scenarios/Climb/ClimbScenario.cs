using AdaptivePool.Scenarios.Harness;
using AdaptivePool.Simulation;
using AdaptivePool.Simulation.Controllers;
using AdaptivePool.Simulation.Curves;

namespace AdaptivePool.Scenarios.Scenarios.Climb;

/// <summary>Controllers on simulated pools, on virtual time: how fast, how well and with how many threads each finds the best size of a curve.</summary>
public sealed class ClimbScenario : Scenario
{
    private const double Percent = 100;
    private const double HighPercentile = 0.95;
    private const int FirstSeed = 1;

    private readonly Dictionary<(string Case, string Pool), List<ClimbOutcome>> _outcomes = [];
    private ClimbOptions? _options;
    private IReadOnlyList<ScenarioCase>? _cases;
    private Dictionary<string, CostCurve> _curves = [];

    /// <inheritdoc/>
    public override string Name => "climb";

    /// <inheritdoc/>
    public override string Description => "controllers on simulated curves, on virtual time; values are one per start and seed, starts first";

    /// <inheritdoc/>
    public override IReadOnlyList<ScenarioCase> Cases => _cases ??= CasesOf(CostCurve.BuiltIn);

    /// <inheritdoc/>
    public override IReadOnlyList<MetricInfo> Metrics { get; } =
    [
        new("converge-s", "s", Better.Lower),
        new("converge-s-p95", "s", Better.Lower),
        new("converge-completions", "items", Better.Lower),
        new("converge-completions-p95", "items", Better.Lower),
        new("recover-s", "s", Better.Lower),
        new("recover-s-p95", "s", Better.Lower),
        new("recover-completions", "items", Better.Lower),
        new("regret-percent", "%", Better.Lower),
        new("steady-regret-percent", "%", Better.Lower),
        new("share-of-peak", "ratio", Better.Higher),
        new("threads-last-minute", "threads"),
        new("threads-over-best", "ratio"),
        new("first-jump-over-best", "ratio"),
        new("largest-later-step", "ratio"),
        new("peak-threads", "threads"),
    ];

    /// <inheritdoc/>
    public override IReadOnlyList<string> DefaultPools => [Comparators.Runtime, Comparators.Ours];

    /// <inheritdoc/>
    public override IReadOnlyList<ScenarioOption> Options => ClimbOptions.Known;

    /// <inheritdoc/>
    public override string? PoolNote =>
        $"climb compares controllers: {Comparators.Description}. Converged: the first moment at 0.95 of the best throughput whose next 10 s average 0.93.";

    /// <inheritdoc/>
    public override bool LoadsMachine => false;

    private ClimbOptions Chosen => _options ?? throw new InvalidOperationException("The options have not been read.");

    /// <inheritdoc/>
    public override void Configure(RunOptions options)
    {
        _options = new ClimbOptionsReader(options).Read();
        _cases = CasesOf(_options.Curves.Count > 0 ? _options.Curves : CostCurve.BuiltIn);
        foreach (string pool in options.Pools.Count > 0 ? options.Pools : DefaultPools)
        {
            CheckPool(pool);
        }
    }

    /// <inheritdoc/>
    public override void CheckPool(string pool)
    {
        if (Comparators.WhyNot(pool) is { } why)
        {
            throw new UsageException(why);
        }
    }

    /// <inheritdoc/>
    public override Task<IReadOnlyList<MeasuredValue>> MeasureAsync(RoundContext round, CancellationToken cancellationToken)
    {
        if (!_outcomes.TryGetValue((round.Case.Name, round.Pool), out List<ClimbOutcome>? earlier))
        {
            earlier = [];
            _outcomes[(round.Case.Name, round.Pool)] = earlier;
        }

        // A further round is a further set of seeds; one more time the same would say nothing.
        int firstSeed = FirstSeed + (earlier.Count / Chosen.Starts.Count);
        IReadOnlyList<ClimbOutcome> outcomes = new ClimbBatch(_curves[round.Case.Name], round.Pool, Chosen).Run(firstSeed, cancellationToken);
        earlier.AddRange(outcomes);
        return Task.FromResult<IReadOnlyList<MeasuredValue>>([.. outcomes.SelectMany(Values)]);
    }

    /// <inheritdoc/>
    public override void RunChild(ChildContext child) => throw new InvalidOperationException("'climb' only computes; it needs no child process.");

    /// <inheritdoc/>
    public override void Derive(ResultSet results)
    {
        foreach (((string caseName, string pool), List<ClimbOutcome> outcomes) in _outcomes)
        {
            foreach (string metric in new[] { "converge-s", "converge-completions", "recover-s" })
            {
                if (results.Find(caseName, pool, metric) is { } cell)
                {
                    results.Add(caseName, pool, new($"{metric}-p95", ClimbTable.Percentile(cell.Values, HighPercentile), cell.Censored));
                }
            }
        }

        if (Chosen.Picture is { } path && _outcomes.Count > 0)
        {
            WritePicture(path);
        }
    }

    /// <inheritdoc/>
    public override void Print(ResultSet results)
    {
        int pools = _outcomes.Keys.Select(k => k.Pool).Distinct(StringComparer.Ordinal).Count();
        ClimbTableKind kind = Chosen.Table ?? (pools > 2 ? ClimbTableKind.Compact : ClimbTableKind.Full);
        if (kind == ClimbTableKind.Full)
        {
            base.Print(results);
            return;
        }

        ClimbTable.Print(Console.Out, _outcomes, Chosen, kind == ClimbTableKind.Starts);
    }

    private IEnumerable<MeasuredValue> Values(ClimbOutcome outcome)
    {
        ClimbMetrics m = outcome.Metrics;
        yield return Limited("converge-s", m.ConvergeSeconds, Chosen.Seconds);
        yield return Limited("converge-completions", m.ConvergeCompletions, outcome.Delivered);
        if (!double.IsNaN(m.RecoverSeconds))
        {
            yield return Limited("recover-s", m.RecoverSeconds, Chosen.Seconds);
            yield return Limited("recover-completions", m.RecoverCompletions, outcome.Delivered);
        }

        yield return new("regret-percent", Percent * m.Regret);
        yield return new("steady-regret-percent", Percent * m.SteadyRegret);
        yield return new("share-of-peak", m.ShareOfPeak);
        yield return new("threads-last-minute", m.ThreadsLastMinute);
        yield return new("threads-over-best", m.ThreadsOverBest);
        yield return new("first-jump-over-best", m.FirstJumpOverBest);
        yield return new("largest-later-step", m.LargestLaterStep);
        yield return new("peak-threads", m.Peak);
    }

    private static MeasuredValue Limited(string metric, double value, double limit)
        => double.IsInfinity(value) ? new(metric, limit, Censored: true) : new(metric, value);

    private IReadOnlyList<ScenarioCase> CasesOf(IReadOnlyList<CostCurve> curves)
    {
        _curves = curves.ToDictionary(c => c.Name, StringComparer.Ordinal);
        return
        [
            .. curves.Select(c => new ScenarioCase(c.Name,
                FormattableString.Invariant(
                $"best {c.Best:#,##0}/s, reached with {c.SmallestBestSize} threads{(c.KnowsCpu ? ", CPU known" : "")}")) { DefaultRounds = 1 }),
        ];
    }

    private void WritePicture(string path)
    {
        string caseName = _outcomes.Keys.First().Case;
        IReadOnlyList<(string, ClimbRun)> runs =
        [
            .. _outcomes.Keys.Where(k => k.Case == caseName)
                .Select(k => (k.Pool, new ClimbBatch(_curves[caseName], k.Pool, Chosen).RunOne(Chosen.Starts[0], FirstSeed))),
        ];
        File.WriteAllText(path, ClimbPicture.Draw(runs));
        Console.Error.WriteLine($"picture: {caseName} from {Chosen.Starts[0]} threads, seed {FirstSeed}, in {path}");
    }
}
