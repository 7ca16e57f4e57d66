using AdaptivePool.Scenarios.Harness;

namespace AdaptivePool.Scenarios.Scenarios.Postgres;

/// <summary>Metrics that compare pools or client counts of one run.</summary>
public static class PostgresShares
{
    private const string Fixed = "fixed-";
    private const string ByHand = "runtime-";

    private static readonly (string Rate, string Share, string References)[] s_shares =
    [
        ("tps", "share-of-best-fixed-percent", Fixed),
        ("tps-second-half", "share-of-best-fixed-second-half-percent", Fixed),
        ("partner-per-s", "partner-share-of-best-fixed-percent", Fixed),
        ("partner-per-s-second-half", "partner-share-of-best-fixed-second-half-percent", Fixed),
        ("items-per-s-second-half", "share-of-best-by-hand-percent", ByHand),
    ];

    /// <summary>The metrics added here.</summary>
    public static IEnumerable<MetricInfo> Metrics => s_shares.Select(s => new MetricInfo(s.Share, "%", Better.Higher));

    /// <summary>
    /// Each round's rate as a percentage of the median of the best fixed pool, or of the best with a number of threads set by hand, in the same case. In a
    /// mixture the pool with a hand-set limit is the reference for both kinds of work, because a single fixed size that is good for one of them is bad for the
    /// other.
    /// </summary>
    public static void AddSharesOfBestFixed(ResultSet results)
    {
        foreach (string caseName in results.Cells.Select(c => c.Case).Distinct(StringComparer.Ordinal).ToArray())
        {
            foreach ((string rate, string share, string prefix) in s_shares)
            {
                IReadOnlyList<ResultCell> row = results.Row(caseName, rate);
                ResultCell[] references = [.. row.Where(c => c.Pool.StartsWith(prefix, StringComparison.Ordinal))];
                if (references.Any(c => c.Pool.Contains('+', StringComparison.Ordinal)))
                {
                    references = [.. references.Where(c => c.Pool.Contains('+', StringComparison.Ordinal))];
                }

                double best = references.Length == 0 ? 0 : references.Max(c => c.Median);
                if (best > 0)
                {
                    Add(results, row, caseName, share, best);
                }
            }
        }
    }

    /// <summary>Each client count's rate as a percentage of the pool's own best.</summary>
    public static void AddKeptOfPeak(ResultSet results, string rate, string prefix, IReadOnlyList<int> clients)
    {
        string[] names = [.. clients.Select(n => $"{prefix}{n}")];
        ResultCell[] cells = [.. results.Cells.Where(c => c.Metric.Name == rate && names.Contains(c.Case, StringComparer.Ordinal))];
        foreach (IGrouping<string, ResultCell> pool in cells.GroupBy(c => c.Pool, StringComparer.Ordinal).Where(g => g.Count() > 1))
        {
            double peak = pool.Max(c => c.Median);
            foreach (ResultCell cell in pool)
            {
                Add(results, [cell], cell.Case, "kept-of-peak-percent", peak);
            }
        }
    }

    private static void Add(ResultSet results, IReadOnlyList<ResultCell> cells, string caseName, string metric, double reference)
    {
        foreach (ResultCell cell in cells)
        {
            foreach (double value in cell.Values.ToArray())
            {
                results.Add(caseName, cell.Pool, new MeasuredValue(metric, 100 * value / reference));
            }
        }
    }
}
