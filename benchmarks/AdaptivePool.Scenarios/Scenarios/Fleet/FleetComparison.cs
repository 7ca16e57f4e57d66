using System.Globalization;
using AdaptivePool.Scenarios.Harness;
using AdaptivePool.Simulation.Fleet;

namespace AdaptivePool.Scenarios.Scenarios.Fleet;

/// <summary>Processes before one PostgreSQL, each with a gate of its own; one leaves, and another one joins.</summary>
public sealed class FleetComparison : Scenario
{
    /// <summary>Cases with the bank's transactions begin so.</summary>
    public const string Bank = "bank-";

    /// <summary>In cases that begin so each instance has one session at first, and opens the others when it needs them.</summary>
    public const string Cold = "cold-";

    private const int Clients = 256;
    private const string Tps = "tps";
    private const string Share = "share-of-best-gate-percent";

    private static readonly TimeSpan s_readyLimit = TimeSpan.FromMinutes(1);
    private static readonly string[] s_summed = ["errors", "limit"];
    private readonly List<string> _traces = [];

    /// <inheritdoc/>
    public override string Name => "fleet";

    /// <inheritdoc/>
    public override string Description =>
        $"instances in separate processes before one PostgreSQL, {Clients} clients in all; after the steady part one instance leaves, another joins";

    /// <inheritdoc/>
    public override IReadOnlyList<ScenarioCase> Cases { get; } =
    [
        new("1", Served(1)) { IsQuick = false },
        new("4", Served(4)) { IsQuick = false },
        new("8", Served(8)),
        new(Cold + "8", "eight instances that have one session each at first, and open more when more is let in than ever before") { IsQuick = false },
        new(Bank + "8", "eight instances, pgbench's TPC-B") { IsQuick = false },
    ];

    /// <inheritdoc/>
    public override IReadOnlyList<MetricInfo> Metrics { get; } =
    [
        new(Tps, "1/s", Better.Higher),
        new(Share, "%", Better.Higher),
        new("spread-percent", "%", Better.Lower),
        new("settled-after-leave-s", "s", Better.Lower),
        new("settled-after-join-s", "s", Better.Lower),
        new("total-limit", "transactions"),
        new("limit", "transactions"),
        new("late-ms", "ms", Better.Lower),
        new("errors", "transactions", Better.Lower),
    ];

    /// <inheritdoc/>
    public override IReadOnlyList<string> DefaultPools { get; } =
        [FleetGates.Adaptive, "hand-32", "hand-64", "hand-96", "hand-128", FleetGates.Alone, FleetGates.None];

    /// <inheritdoc/>
    public override string? PoolNote =>
        "fleet has the pools adaptive (gates that see each other in the list of sessions), adaptive-alone (gates that see no others), hand-N (N permits in "
            + "all, divided equally), none (no gate). "
        + "spread-percent: largest distance of an instance from its fair share in the steady part. settled: time until each second has fair shares to 20 % and "
            + "0.9 of the steady throughput. "
        + "limit: sum of the limits at the end.";

    /// <inheritdoc/>
    public override void CheckPool(string pool) => FleetGates.Check(pool);

    /// <inheritdoc/>
    public override async Task<ScenarioEnvironment> PrepareAsync(IReadOnlyList<ScenarioCase> cases, Action<string> say, CancellationToken cancellationToken) =>
        await FleetEnvironment.StartAsync(say, cancellationToken);

    /// <inheritdoc/>
    public override async Task<IReadOnlyList<MeasuredValue>> MeasureAsync(RoundContext round, CancellationToken cancellationToken)
    {
        FleetTimes times = round.Quick ? new FleetTimes(20, 6, 7) : new FleetTimes(25, 10, 10);
        int instances = int.Parse(round.Case.Name.AsSpan(round.Case.Name.LastIndexOf('-') + 1), CultureInfo.InvariantCulture);
        List<(double From, double Until)> spans = [.. Enumerable.Range(0, instances).Select(i => (0.0, i == 0 ? times.Leaves : times.End))];
        if (instances > 1)
        {
            // A lone instance neither leaves nor is joined.
            spans.Add((times.Joins, times.End));
        }

        ChildProcess[] children = [.. spans.Select(span => new ChildProcess(Request(round, instances, span.From, span.Until)))];
        try
        {
            await Task.WhenAll(children.Select(c => c.WaitReadyAsync(s_readyLimit, cancellationToken)));
            DateTimeOffset begin = await ((FleetEnvironment)round.Environment).BeginAsync(cancellationToken);
            IReadOnlyList<MeasuredValue>[] all = await Task.WhenAll(children.Select(c => c.WaitAsync(round.TimeLimit, cancellationToken)));
            FleetRecord record = Record(begin, spans, all);
            _traces.Add($"{round.Case.Name}, {round.Pool}, one leaves at {times.Leaves} s, one joins at {times.Joins} s: {record.Trace(0, times.End)}");
            return [.. Judge(times, record, instances, all)];
        }
        finally
        {
            Array.ForEach(children, static c => c.Dispose());
        }
    }

    /// <inheritdoc/>
    public override void RunChild(ChildContext child) => new FleetInstanceRun(child).Run();

    /// <inheritdoc/>
    public override void Derive(ResultSet results)
    {
        foreach (string caseName in results.Cells.Select(static c => c.Case).Distinct().ToArray())
        {
            double[] byHand = [.. results.Cells.Where(c => c.Case == caseName && c.Metric.Name == Tps && FleetGates.LimitOf(c.Pool) > 0)
                .Select(static c => c.Median)];
            foreach (ResultCell cell in byHand.Length == 0 ? [] : results.Cells.Where(c => c.Case == caseName && c.Metric.Name == Tps).ToArray())
            {
                results.Add(caseName, cell.Pool, new MeasuredValue(Share, 100 * cell.Median / byHand.Max()));
            }
        }
    }

    /// <inheritdoc/>
    public override void Print(ResultSet results)
    {
        base.Print(results);
        Console.Out.WriteLine("transactions a second in each half second, in brackets totals that came into force in it:");
        _traces.ForEach(static trace => Console.Out.WriteLine(trace));
    }

    private static string Served(int instances) =>
        $"instances: {instances}; a sleep of {FleetEnvironment.HeldMilliseconds} ms inside a semaphore of {FleetEnvironment.Slots} advisory locks";

    private static ChildRequest Request(RoundContext round, int instances, double from, double until)
    {
        ChildRequest request = round.ToRequest();
        Dictionary<string, string> settings = new(request.Settings, StringComparer.Ordinal)
        {
            [FleetInstanceRun.FromSetting] = from.ToString(CultureInfo.InvariantCulture),
            [FleetInstanceRun.UntilSetting] = until.ToString(CultureInfo.InvariantCulture),
            [FleetInstanceRun.InstancesSetting] = instances.ToString(CultureInfo.InvariantCulture),
            [FleetInstanceRun.ClientsSetting] = (Clients / instances).ToString(CultureInfo.InvariantCulture),
        };
        return request with { Settings = settings };
    }

    private static FleetRecord Record(DateTimeOffset begin, List<(double From, double Until)> spans, IReadOnlyList<MeasuredValue>[] all)
    {
        FleetRecord record = new(begin);
        for (int i = 0; i < all.Length; i++)
        {
            record.Add(spans[i].From, spans[i].Until, all[i]);
        }

        return record;
    }

    private static IEnumerable<MeasuredValue> Judge(FleetTimes times, FleetRecord record, int instances, IReadOnlyList<MeasuredValue>[] all)
    {
        double steady = record.Rate(times.WarmUp, times.Leaves);
        yield return new(Tps, steady);
        yield return new("spread-percent", record.SpreadPercent(times.WarmUp, times.Leaves));
        yield return new("late-ms", all.SelectMany(static v => v).Where(static v => v.Metric == "late-ms").Max(static v => v.Value));
        if (all[^1].FirstOrDefault(static v => v.Metric == "total-limit") is { } total)
        {
            yield return total;
        }

        foreach (string metric in s_summed)
        {
            // The one that left has no limit any more.
            yield return new(metric,
                all.Skip(instances > 1 && metric == "limit" ? 1 : 0).SelectMany(static v => v).Where(v => v.Metric == metric).Sum(static v => v.Value));
        }

        if (instances > 1)
        {
            yield return Settled("settled-after-leave-s", record.Settled(times.Leaves, times.Joins, steady), times.Change);
            yield return Settled("settled-after-join-s", record.Settled(times.Joins, times.End, steady), times.Change);
        }
    }

    private static MeasuredValue Settled(string metric, double seconds, double longest)
        => new(metric, seconds, Censored: seconds > longest - FleetCriteria.WindowSeconds);
}
