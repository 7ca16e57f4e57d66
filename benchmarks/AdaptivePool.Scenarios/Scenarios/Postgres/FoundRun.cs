using System.Globalization;
using AdaptivePool.Admission;
using AdaptivePool.Scenarios.Harness;
using AdaptivePool.Scenarios.Pools;
using MathNet.Numerics.Statistics;

namespace AdaptivePool.Scenarios.Scenarios.Postgres;

/// <summary>
/// A limit that is found beside fixed ones, in turns in one warm process: the gate looks for its limit for ten seconds, then it and a gate for each fixed limit
/// serve the same clients one after another. Each gate has connections of its own, so what the search does to its own is its own loss.
/// </summary>
public sealed class FoundRun
{
    private const int Clients = 1_024;
    private static readonly TimeSpan s_search = TimeSpan.FromSeconds(10);
    private readonly ChildContext _child;
    private readonly ClientTurns _turns;
    private readonly Way _found;
    private readonly Way[] _others;

    /// <summary>Creates the gates; nothing is sent yet.</summary>
    /// <exception cref="UsageException">The pool finds no limit.</exception>
    public FoundRun(ChildContext child)
    {
        _child = child;
        _turns = new ClientTurns(child, Clients);
        if (_turns.Work.Gate?.GetSnapshot().Adaptive is null || child.Pool is AdaptiveGatedComparedPool)
        {
            throw new UsageException(
                $"The case {child.Case} cannot run on pool '{child.PoolName}': it compares a limit that is found with fixed ones. Pools: gated-adaptive, "
                + "kept-adaptive, either with -from-N.");
        }

        _found = new Way("tps-found", child.Pool.Whole, _turns.Work.Bank);
        _others = [.. Sizes.Select(Fixed)];
    }

    /// <summary>The limits that are compared with.</summary>
    public static int[] Sizes { get; } = [4, 8, 16, 32];

    /// <summary>The metrics reported here.</summary>
    public static IEnumerable<MetricInfo> Metrics =>
    [
        new("tps-found", "1/s", Better.Higher),
        .. Sizes.Select(static n => new MetricInfo(NameOf(n), "1/s", Better.Higher)),
        new("found-percent-of-best-fixed", "%", Better.Higher),
        new("best-fixed", "transactions"),
    ];

    /// <summary>Warms up over the connections of the fixed limits, lets the gate look for its limit, then takes turns.</summary>
    /// <param name="warmUp">Time that does not count.</param>
    /// <param name="counted">How long a turn counts.</param>
    /// <param name="rounds">Turns of each gate.</param>
    public void Measure(TimeSpan warmUp, TimeSpan counted, int rounds)
    {
        foreach (Way way in _others)
        {
            Take(way, warmUp / _others.Length);
        }

        Take(_found, s_search);
        double[] found = new double[rounds];
        double[][] others = [.. _others.Select(_ => new double[rounds])];
        for (int round = 0; round < rounds; round++)
        {
            // Each time another one comes first, so that none has the best place.
            for (int i = 0; i <= _others.Length; i++)
            {
                int turn = (i + round) % (_others.Length + 1);
                if (turn == _others.Length)
                {
                    found[round] = Take(_found, counted);
                }
                else
                {
                    others[turn][round] = Take(_others[turn], counted);
                }
            }
        }

        int best = Array.IndexOf(others, others.MaxBy(static tps => tps.Median()));
        for (int round = 0; round < rounds; round++)
        {
            _child.Report(_found.Metric, found[round]);
            _child.Report("found-percent-of-best-fixed", 100 * found[round] / others[best][round]);
            for (int i = 0; i < _others.Length; i++)
            {
                _child.Report(_others[i].Metric, others[i][round]);
            }
        }

        _child.Report("best-fixed", Sizes[best]);
        _turns.ReportEnd();
    }

    private static string NameOf(int limit) => string.Create(CultureInfo.InvariantCulture, $"tps-fixed-{limit}");

    private double Take(Way way, TimeSpan counted) => _turns.Take(Clients, counted, way.Target, way.Bank);

    private Way Fixed(int limit)
    {
        if (_child.Pool is not KeptComparedPool)
        {
            return new Way(NameOf(limit), GatedComparedPool.Fixed(limit, GatedComparedPool.Patience).Whole, _turns.Work.CreateBank());
        }

        Transactions bank = _turns.Work.CreateBank();
        bank.Keep(new KeptComparedPool(_child.PoolName, limit, isAdaptive: false, GatedComparedPool.Patience).Gate);
        return new Way(NameOf(limit), _child.Pool.Whole, bank);
    }

    private sealed record Way(string Metric, ComparedClass Target, Transactions Bank);
}
