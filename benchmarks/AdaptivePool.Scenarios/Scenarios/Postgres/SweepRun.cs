using System.Globalization;
using AdaptivePool.Scenarios.Harness;

namespace AdaptivePool.Scenarios.Scenarios.Postgres;

/// <summary>All numbers of clients from 1 to 4,096 in one warm process, upwards and downwards in turns.</summary>
public sealed class SweepRun(ChildContext child)
{
    private const string Tps = "tps-";
    private const string PeakClients = "peak-clients";

    /// <summary>The metrics reported here; those of single numbers of clients are shared with the turns.</summary>
    public static IEnumerable<MetricInfo> Metrics { get; } =
        [.. PostgresCases.Clients.Select(static n => new MetricInfo(Tps + Text(n), "1/s", Better.Higher)), new(PeakClients, "clients")];

    /// <summary>Warms up, then sweeps.</summary>
    /// <param name="warmUp">Time at a medium number of clients that does not count.</param>
    /// <param name="counted">How long each number of clients counts.</param>
    /// <param name="rounds">Number of sweeps.</param>
    public void Measure(TimeSpan warmUp, TimeSpan counted, int rounds)
    {
        // Under --quick every second power of two, with both ends.
        int[] counts = [.. PostgresCases.Clients.Where((_, i) => !child.Quick || i % 2 == 0)];
        ClientTurns turns = new(child, counts[^1]);
        turns.Take(counts[^1], warmUp / 4);
        turns.Take(16, warmUp);
        for (int round = 0; round < rounds; round++)
        {
            foreach (int clients in round % 2 == 0 ? counts : counts.Reverse())
            {
                child.Report(Tps + Text(clients), turns.Take(clients, counted).Tps);
            }
        }

        turns.ReportEnd();
    }

    /// <summary>Adds what 1,024 and 4,096 clients keep of the pool's own best, and where that is.</summary>
    public static void AddKeptOfPeak(ResultSet results)
    {
        foreach (IGrouping<string, ResultCell> pool in results.Cells.Where(static c => c.Case == PostgresCases.Sweep
            && c.Metric.Name.StartsWith(Tps, StringComparison.Ordinal)).ToArray().GroupBy(static c => c.Pool, StringComparer.Ordinal))
        {
            ResultCell peak = pool.MaxBy(static c => c.Median)!;
            results.Add(PostgresCases.Sweep, pool.Key,
                new MeasuredValue(PeakClients, int.Parse(peak.Metric.Name.AsSpan(Tps.Length), CultureInfo.InvariantCulture)));
            foreach (string many in new[] { "1024", "4096" })
            {
                foreach (double value in pool.FirstOrDefault(c => c.Metric.Name == Tps + many)?.Values.ToArray() ?? [])
                {
                    results.Add(PostgresCases.Sweep, pool.Key, new MeasuredValue($"kept-{many}-percent", 100 * value / peak.Median));
                }
            }
        }
    }

    private static string Text(int clients) => clients.ToString(CultureInfo.InvariantCulture);
}
