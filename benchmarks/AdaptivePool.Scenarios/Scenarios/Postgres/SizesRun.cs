using System.Globalization;
using AdaptivePool.Scenarios.Harness;
using AdaptivePool.Scenarios.Load;
using AdaptivePool.Scenarios.Pools;
using MathNet.Numerics.Statistics;

namespace AdaptivePool.Scenarios.Scenarios.Postgres;

/// <summary>
/// A size that is found beside fixed ones, in turns in one warm process: the pool looks for its size for a minute, then it and pools of fixed sizes serve the
/// same clients one after another, each over connections of its own. What the machine does meanwhile meets all of them; blocks of minutes, one after another,
/// differed by a fifth.
/// </summary>
public sealed class SizesRun
{
    private const int Clients = 256;
    private static readonly int[] s_sizes = [4, 8, 16, 32, 72, 144];
    private readonly ChildContext _child;
    private readonly AdaptiveComparedPool _adaptive;
    private readonly PostgresWork _work;
    private readonly ClosedLoop _loop;
    private readonly Way[] _ways;
    private Way _way;

    /// <summary>Creates the pools; nothing is sent yet.</summary>
    /// <exception cref="UsageException">The pool finds no size.</exception>
    public SizesRun(ChildContext child)
    {
        _child = child;
        _adaptive = child.Pool as AdaptiveComparedPool
            ?? throw new UsageException($"The case {child.Case} cannot run on pool '{child.PoolName}': it compares a size that is found with fixed ones. Pools: "
                + "adaptive, adaptive-from-N.");
        _work = new PostgresWork(child, synchronous: true);
        _ways =
        [
            .. s_sizes.Select(size => new Way(NameOf(size), new FixedComparedPool(size), _work.CreateBank())),
            new("tps-found", _adaptive, _work.Bank),
        ];
        _way = _ways[^1];
        _loop = new ClosedLoop(new ComparedClass(item => _way.Pool.Queue(item, preferLocal: false), static run => run()), Clients, () => _way.Bank.Run());
    }

    /// <summary>The metrics reported here.</summary>
    public static IEnumerable<MetricInfo> Metrics =>
    [
        .. s_sizes.Where(static n => !FoundRun.Sizes.Contains(n)).Select(static n => new MetricInfo(NameOf(n), "1/s", Better.Higher)),
    ];

    /// <summary>Warms up, lets the pool look for its size, then takes turns.</summary>
    /// <param name="warmUp">Turn of each fixed size that does not count.</param>
    /// <param name="search">Time to look for a size.</param>
    /// <param name="counted">How long a turn counts.</param>
    /// <param name="rounds">Turns of each.</param>
    public void Measure(TimeSpan warmUp, TimeSpan search, TimeSpan counted, int rounds)
    {
        foreach (Way way in _ways[..^1])
        {
            Take(way, warmUp);
        }

        Take(_ways[^1], search);
        double[][] rates = [.. _ways.Select(_ => new double[rounds])];
        for (int round = 0; round < rounds; round++)
        {
            // There and back, so that none has the best place.
            for (int i = 0; i < _ways.Length; i++)
            {
                int turn = round % 2 == 0 ? i : _ways.Length - 1 - i;
                rates[turn][round] = Take(_ways[turn], counted);
            }
        }

        int best = Array.IndexOf(rates, rates[..^1].MaxBy(static tps => tps.Median()));
        for (int round = 0; round < rounds; round++)
        {
            for (int i = 0; i < _ways.Length; i++)
            {
                _child.Report(_ways[i].Metric, rates[i][round]);
            }

            _child.Report("found-percent-of-best-fixed", 100 * rates[^1][round] / rates[best][round]);
        }

        _child.Report("best-fixed", s_sizes[best]);
        _child.Report("optimum-threads", _adaptive.Verified);
        _work.ReportErrors(_loop);
    }

    private static string NameOf(int size) => string.Create(CultureInfo.InvariantCulture, $"tps-fixed-{size}");

    private double Take(Way way, TimeSpan duration)
    {
        _way = way;
        return _loop.TakeTurn(Clients, duration);
    }

    private sealed record Way(string Metric, ComparedPool Pool, Transactions Bank);
}
