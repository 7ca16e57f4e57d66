using System.Diagnostics;
using AdaptivePool.Scenarios.Harness;
using AdaptivePool.Scenarios.Load;
using AdaptivePool.Scenarios.Pools;
using MathNet.Numerics.Statistics;

namespace AdaptivePool.Scenarios.Scenarios.Postgres;

/// <summary>
/// What a limiter that is never full costs: the same few clients over the same connections pass it for a moment and go round it for the next one, in pairs of
/// random order. The halves of a pair are short and the trimmed mean over the pairs counts: a stop of some milliseconds, such as servers and machines make,
/// spoils one pair of very many. Not a median: of the small whole numbers that end in a half it would be the one that occurs most.
/// </summary>
public sealed class TaxRun(ChildContext child)
{
    /// <summary>Share of the pairs that is left out, at each end.</summary>
    private const double Trimmed = 0.1;

    private static readonly TimeSpan s_half = TimeSpan.FromMilliseconds(20);

    /// <summary>Longer than most transactions: those that were under way when the way changed are not counted.</summary>
    private static readonly TimeSpan s_change = TimeSpan.FromMilliseconds(3);

    private static readonly TimeSpan s_draining = TimeSpan.FromMinutes(1);
    private readonly PostgresWork _work = new(child, synchronous: false);
    private volatile bool _around;

    /// <summary>The metrics reported here.</summary>
    public static IReadOnlyList<MetricInfo> Metrics { get; } =
    [
        new("tax-percent", "%", Better.Lower),
        new("tax-standard-error-percent", "%"),
        new("tax-of-sums-percent", "%", Better.Lower),
        new("pairs", "pairs"),
        new("tps-around", "1/s"),
    ];

    /// <summary>Warms both ways up, then alternates.</summary>
    public void Measure(int clients, TimeSpan warmUp, TimeSpan duration)
    {
        if (child.Pool is not GatedComparedPool gated || gated is AdaptiveGatedComparedPool)
        {
            throw new UsageException(
                $"The case {child.Case} cannot run on pool '{child.PoolName}': it compares transactions with and without a limiter. Pools: gated-N, "
                + "limiter-N, gradient2.");
        }

        // An item ends before its permit is given back, so a client may hold two.
        if (gated.Limiter.GetStatistics() is { CurrentAvailablePermits: var permits } && permits < 2 * clients)
        {
            throw new UsageException(
                $"The case {child.Case} cannot run on pool '{child.PoolName}': its limit of {permits} may be full with {clients} clients. At least "
                + $"{2 * clients}.");
        }

        ComparedClass through = gated.Whole;
        ComparedClass around = gated.Ungated;
        ClosedLoop loop = new(through with { Run = work => (_around ? around : through).Run(work) }, clients, null, _work.Bank.RunAsync);
        loop.Allow(clients);
        long start = Stopwatch.GetTimestamp();
        while (Stopwatch.GetElapsedTime(start) < warmUp)
        {
            Pair(loop);
        }

        List<(double Through, double Around)> pairs = [];
        start = Stopwatch.GetTimestamp();
        while (Stopwatch.GetElapsedTime(start) < duration)
        {
            pairs.Add(Pair(loop));
        }

        loop.Drain(s_draining);

        Report(pairs);
        _work.ReportLeftovers();
        _work.ReportErrors(loop);
    }

    private (double Through, double Around) Pair(ClosedLoop loop)
    {
        bool aroundFirst = Random.Shared.Next(2) == 0;
        double first = Rate(loop, aroundFirst);
        double second = Rate(loop, !aroundFirst);
        return aroundFirst ? (second, first) : (first, second);
    }

    private double Rate(ClosedLoop loop, bool around)
    {
        _around = around;
        Thread.Sleep(s_change);
        long completed = loop.Completed;
        long start = Stopwatch.GetTimestamp();
        Thread.Sleep(s_half);
        return (loop.Completed - completed) / Stopwatch.GetElapsedTime(start).TotalSeconds;
    }

    private void Report(List<(double Through, double Around)> pairs)
    {
        double usual = pairs.Average(static p => p.Around);
        double[] taxes = [.. pairs.Select(p => 100 * (p.Around - p.Through) / usual).Order()];
        int trimmed = (int)(Trimmed * taxes.Length);
        child.Report("tax-percent", taxes.AsSpan(trimmed, taxes.Length - (2 * trimmed)).ToArray().Average());

        // Of a trimmed mean: the deviation of the values, those left out moved to the last ones kept (Tukey and McLaughlin 1963).
        double[] moved = [.. taxes.Select(tax => Math.Clamp(tax, taxes[trimmed], taxes[^(trimmed + 1)]))];
        child.Report("tax-standard-error-percent", moved.StandardDeviation() / ((1 - (2 * Trimmed)) * Math.Sqrt(moved.Length)));
        child.Report("tax-of-sums-percent", 100 * (1 - (pairs.Sum(static p => p.Through) / pairs.Sum(static p => p.Around))));
        child.Report("pairs", taxes.Length);
        child.Report("tps-around", usual);
    }
}
