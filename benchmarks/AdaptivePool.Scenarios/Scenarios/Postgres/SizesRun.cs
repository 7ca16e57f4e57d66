using System.Diagnostics;
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
    private static readonly TimeSpan s_leastSettling = TimeSpan.FromMilliseconds(300);
    private static readonly TimeSpan s_mostSettling = TimeSpan.FromSeconds(5);
    private static readonly TimeSpan s_mostDraining = TimeSpan.FromMinutes(1);
    private readonly ChildContext _child;
    private readonly AdaptiveComparedPool _adaptive;
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
        var work = new PostgresWork(child, synchronous: true);
        _ways =
        [
            .. s_sizes.Select(size => new Way(NameOf(size), new FixedComparedPool(size), work.CreateBank())),
            new("tps-found", _adaptive, work.Bank),
        ];
        _way = _ways[^1];
        Work = work;
        _loop = new ClosedLoop(new ComparedClass(item => _way.Pool.Queue(item, preferLocal: false), static run => run()), Clients, () => _way.Bank.Run());
    }

    /// <summary>The metrics reported here.</summary>
    public static IEnumerable<MetricInfo> Metrics =>
    [
        .. s_sizes.Where(static n => !FoundRun.Sizes.Contains(n)).Select(static n => new MetricInfo(NameOf(n), "1/s", Better.Higher)),
    ];

    private PostgresWork Work { get; }

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
        Work.ReportErrors(_loop);
    }

    private static string NameOf(int size) => string.Create(CultureInfo.InvariantCulture, $"tps-fixed-{size}");

    private double Take(Way way, TimeSpan duration)
    {
        _way = way;
        long before = _loop.Completed;
        long start = Stopwatch.GetTimestamp();
        _loop.Allow(Clients);
        while (Stopwatch.GetElapsedTime(start) is var elapsed
            && (elapsed < s_leastSettling || (_loop.Completed - before < Clients && elapsed < s_mostSettling)))
        {
            Thread.Sleep(5);
        }

        long completed = _loop.Completed;
        start = Stopwatch.GetTimestamp();
        Thread.Sleep(duration);
        double tps = (_loop.Completed - completed) / Stopwatch.GetElapsedTime(start).TotalSeconds;
        _loop.Drain(s_mostDraining);
        return tps;
    }

    private sealed record Way(string Metric, ComparedPool Pool, Transactions Bank);
}
