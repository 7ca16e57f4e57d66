using System.Globalization;
using AdaptivePool.Scenarios.Harness;

namespace AdaptivePool.Scenarios.Scenarios.Postgres;

/// <summary>Transactions against a real PostgreSQL on the same machine.</summary>
public sealed class PostgresScenario : Scenario
{
    private const string Tps = "tps";
    private const string Optimum = "optimum-threads";
    private const string Usual = "usual-tps";
    private const string Control = "control-tps";
    private const string Difference = "difference-percent";
    private const string Gain = "gain-percent";
    private const string LengthOption = "--seconds";
    private const string LengthSetting = "seconds";

    private static readonly TimeSpan s_readyLimit = TimeSpan.FromMinutes(1);
    private string _seconds = "";

    /// <inheritdoc/>
    public override string Name => "postgres";

    /// <inheritdoc/>
    public override string Description
        => "transactions (pgbench's TPC-B unless said otherwise) through Npgsql in a closed loop, on a cluster that the scenario starts and removes";

    /// <inheritdoc/>
    public override IReadOnlyList<ScenarioCase> Cases => PostgresCases.All;

    /// <inheritdoc/>
    public override IReadOnlyList<MetricInfo> Metrics { get; } =
    [
        new(Tps, "1/s", Better.Higher),
        new("tps-second-half", "1/s", Better.Higher),
        new("partner-per-s", "1/s", Better.Higher),
        new("partner-per-s-second-half", "1/s", Better.Higher),
        new("partner-percent-of-ideal", "%", Better.Higher),
        new("partner-second-half-percent-of-ideal", "%", Better.Higher),
        .. TurnsRun.Metrics,
        .. FoundRun.Metrics,
        .. SizesRun.Metrics,
        .. SweepRun.Metrics,
        .. TaxRun.Metrics,
        new("p99-ms", "ms", Better.Lower),
        new("peak-threads", "threads"),
        new("peak-database-threads", "threads"),
        new(Optimum, "threads"),
        new(Usual, "1/s"),
        new(Control, "1/s"),
        new(Difference, "%", Better.Higher),
        new(Gain, "%", Better.Higher),
        .. HiddenMixtureRun.Metrics,
        .. CrowdedStartRun.Metrics,
        .. MixesRun.Metrics,
        new("p99-inside-ms", "ms", Better.Lower),
        new("limit", "transactions"),
        new("changed-tps-second-half", "1/s", Better.Higher),
        new("capacity-tps", "1/s"),
        new("refused-per-s", "1/s"),
        new("refused-percent", "%"),
        new("refused-without-retry-after", "items", Better.Lower),
        new("goodput-percent-of-capacity", "%", Better.Higher),
        .. KillsRun.Metrics,
        .. RestartRun.Metrics,
        new("errors", "items", Better.Lower),
        new("kept-of-peak-percent", "%", Better.Higher),
        .. PostgresShares.Metrics,
    ];

    /// <inheritdoc/>
    public override string? PoolNote =>
        "share-of-best-fixed-percent compares with the best fixed-N or fixed-A+B pool of the same run; kept-of-peak-percent compares with the best client "
            + "count of the same pool "
        + "(sync-N, async-N) or with the time before the excursion (hysteresis). limiter-N is the framework's ConcurrencyLimiter, gradient2 is Netflix's law, "
            + "kept-N is a gated data source that keeps its connections itself "
        + "(asynchronous cases only), adaptive-gated-N is adaptive with a gate before its class of transactions. p99-inside counts from the moment when the "
            + "gate lets a transaction in; with kept connections, from when it has one; without a gate, from sending. optimum-threads is the size found. In "
            + "seed-rw and seed-tpcc, usual-tps is the rate of the fixed start size, "
        + "control-tps is the rate of the fixed size found, difference-percent is how much higher the latter is, and gain-percent is how much higher the rate "
            + "of the searching pool is. share-of-best-by-hand-percent compares with the best runtime-N pool.";

    /// <inheritdoc/>
    public override IReadOnlyList<ScenarioOption> Options { get; } =
    [
        new(LengthOption, "Seconds, 10 to 1200: of each of the three runs of seed-rw and seed-tpcc, default 600 (--quick: 12); of mixture, default 12 "
            + "(--quick: 7); of hidden-mixture, default 25 (--quick: 15)."),
    ];

    /// <inheritdoc/>
    public override void Configure(RunOptions options)
    {
        if (options.Extra.TryGetValue(LengthOption, out string? given))
        {
            if (!int.TryParse(given, NumberStyles.None, CultureInfo.InvariantCulture, out int seconds) || seconds is < 10 or > 1_200)
            {
                throw new UsageException($"{LengthOption} '{given}' is not a whole number from 10 to 1200.");
            }

            if (ScenarioCatalog.ChooseCases(this, options).FirstOrDefault(
                static c => !PostgresCases.IsProtocol(c.Name)
                    && c.Name is not (PostgresCases.Hidden or PostgresCases.Mixture or PostgresCases.Async + PostgresCases.Mixture)) is { } other)
            {
                throw new UsageException(
                    $"{LengthOption} is the length of seed-rw, seed-tpcc, mixture and hidden-mixture; the case '{other.Name}' has a length of its own.");
            }

            _seconds = given;
        }
    }

    /// <inheritdoc/>
    public override async Task<ScenarioEnvironment> PrepareAsync(IReadOnlyList<ScenarioCase> cases, Action<string> say, CancellationToken cancellationToken)
    {
        PostgresEnvironment environment = await PostgresEnvironment.StartAsync(say, cancellationToken);
        environment.Settings[LengthSetting] = _seconds;
        return environment;
    }

    /// <summary>The founding document's protocol needs three processes: one finds the size, two measure fixed sizes. A restart is the parent's to do.</summary>
    public override async Task<IReadOnlyList<MeasuredValue>> MeasureAsync(RoundContext round, CancellationToken cancellationToken)
    {
        if (round.Case.Name == PostgresCases.Restart)
        {
            using ChildProcess child = new(round.ToRequest());
            await child.WaitReadyAsync(s_readyLimit, cancellationToken);
            await ((PostgresEnvironment)round.Environment).RestartServerAsync();
            return await child.WaitAsync(round.TimeLimit, cancellationToken);
        }

        if (!PostgresCases.IsProtocol(round.Case.Name) || round.Pool != "adaptive")
        {
            return await round.RunChildAsync(cancellationToken);
        }

        IReadOnlyList<MeasuredValue> found = await (round with { Pool = $"adaptive-from-{PostgresCases.ProtocolThreads}" }).RunChildAsync(cancellationToken);
        double optimum = Of(found, Optimum);
        double usual = await FixedAsync(round, PostgresCases.ProtocolThreads, cancellationToken);
        double control = await FixedAsync(round, (int)optimum, cancellationToken);
        return [.. found, new(Usual, usual), new(Control, control), new(Difference, 100 * ((control / usual) - 1)),
            new(Gain, 100 * ((Of(found, Tps) / usual) - 1))];
    }

    /// <inheritdoc/>
    public override void RunChild(ChildContext child)
    {
        switch (child.Case)
        {
            case PostgresCases.Turns:
                new TurnsRun(child).Measure(child.Seconds(15, 6), child.Quick ? 2 : 6, child.Seconds(150, 30));
                break;
            case PostgresCases.Found:
                new FoundRun(child).Measure(child.Seconds(15, 8), child.Seconds(3, 2), child.Quick ? 4 : 8);
                break;
            case var name when name.EndsWith(PostgresCases.Sizes, StringComparison.Ordinal):
                new SizesRun(child).Measure(child.Seconds(5, 3), child.Seconds(60, 30), child.Seconds(5, 3), child.Quick ? 4 : 8);
                break;
            case PostgresCases.Sweep:
                new SweepRun(child).Measure(child.Seconds(15, 6), child.Seconds(2.5, 1.5), child.Quick ? 2 : 4);
                break;
            case var name when name.StartsWith(PostgresCases.Tax, StringComparison.Ordinal):
                new TaxRun(child).Measure(PostgresCases.ClientsOf(name), child.Seconds(10, 4), child.Seconds(48, 11));
                break;
            case PostgresCases.Restart:
                new RestartRun(child).Measure(child.Seconds(12, 6), child.Seconds(4, 3), child.Seconds(15, 8));
                break;
            case PostgresCases.Kills:
                new KillsRun(child).Measure(child.Quick ? 30_000 : 1_000_000, child.Seconds(15 * 60, 60));
                break;
            case PostgresCases.Hidden:
                new HiddenMixtureRun(child).Measure(LengthOf(child, 25, 15));
                break;
            case PostgresCases.Crowded or PostgresCases.CrowdedCached:
                new CrowdedStartRun(child).Measure(child.Seconds(20, 12), child.Case == PostgresCases.CrowdedCached);
                break;
            case PostgresCases.MixesTpcC or PostgresCases.MixesPartner:
                new MixesRun(child).Measure(child.Seconds(60, 20));
                break;
            case PostgresCases.OpenLoop:
                new OpenLoopRun(child).Measure(child.Seconds(10, 6), child.Seconds(5, 3), child.Seconds(10, 6));
                break;
            default:
                RunLoops(child);
                break;
        }
    }

    /// <summary>The length that was asked for, or that of the case.</summary>
    private static TimeSpan LengthOf(ChildContext child, double seconds, double quick) =>
        child.Setting(LengthSetting) is { Length: > 0 } given ? TimeSpan.FromSeconds(int.Parse(given, CultureInfo.InvariantCulture))
            : child.Seconds(seconds, quick);

    private static void RunLoops(ChildContext child)
    {
        PostgresRun run = new(child, synchronous: !PostgresCases.IsAsync(child.Case));
        switch (child.Case)
        {
            case PostgresCases.Mixture or PostgresCases.Async + PostgresCases.Mixture:
                run.MeasureMixture(512, 512, LengthOf(child, 12, 7));
                break;
            case PostgresCases.SlowConnect or PostgresCases.Async + PostgresCases.SlowConnect:
                run.MeasureLoop(1_024, child.Seconds(12, 6));
                break;
            case PostgresCases.Switch or PostgresCases.Async + PostgresCases.Switch:
                run.MeasureSwitch(1_024, child.Seconds(4, 3), child.Seconds(8, 5));
                break;
            case PostgresCases.Hysteresis:
                run.MeasureHysteresis(64, 1_024, child.Seconds(5, 4));
                break;
            case var name when PostgresCases.IsProtocol(name):
                run.MeasureFound(PostgresCases.ProtocolClients, TimeSpan.Zero, LengthOf(child, 600, 12));
                break;
            case var name when name.StartsWith(PostgresCases.SteadySync, StringComparison.Ordinal):
                run.MeasureFound(PostgresCases.ClientsOf(name), child.Seconds(10, 8), child.Seconds(30, 20));
                break;
            case var name when name.StartsWith(PostgresCases.Change, StringComparison.Ordinal):
                run.MeasureChange(PostgresCases.ClientsOf(name), child.Seconds(20, 10), child.Seconds(20, 14));
                break;
            case var name when name.StartsWith(PostgresCases.Steady, StringComparison.Ordinal):
                run.MeasureLoop(PostgresCases.ClientsOf(name), child.Seconds(30, 20));
                break;
            case var name when name.StartsWith(PostgresCases.Async, StringComparison.Ordinal):
                run.MeasureLoop(PostgresCases.ClientsOf(name), child.Seconds(8, 4));
                break;
            case var name when name.StartsWith(PostgresCases.Sync, StringComparison.Ordinal) && !name.StartsWith(PostgresCases.Cold, StringComparison.Ordinal):
                run.MeasureLoop(PostgresCases.ClientsOf(name), child.Seconds(8, 4));
                break;
            case var name:
                run.MeasureLoop(PostgresCases.ClientsOf(name), child.Seconds(12, 6));
                break;
        }
    }

    /// <inheritdoc/>
    public override void Derive(ResultSet results)
    {
        PostgresShares.AddSharesOfBestFixed(results);
        PostgresShares.AddKeptOfPeak(results, Tps, PostgresCases.Sync, PostgresCases.Clients);
        PostgresShares.AddKeptOfPeak(results, Tps, PostgresCases.Async, PostgresCases.Clients);
        SweepRun.AddKeptOfPeak(results);
    }

    private static async Task<double> FixedAsync(RoundContext round, int threads, CancellationToken cancellationToken)
    {
        await round.Environment.BeforeRoundAsync(round.Case, cancellationToken);
        RoundContext context = round with { Pool = string.Create(CultureInfo.InvariantCulture, $"fixed-{threads}") };
        return Of(await context.RunChildAsync(cancellationToken), Tps);
    }

    private static double Of(IReadOnlyList<MeasuredValue> values, string metric) => values.First(v => v.Metric == metric).Value;
}
