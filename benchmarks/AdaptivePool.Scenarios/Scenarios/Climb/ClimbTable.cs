using System.Globalization;
using AdaptivePool.Simulation;
using AdaptivePool.Simulation.Controllers;

namespace AdaptivePool.Scenarios.Scenarios.Climb;

/// <summary>One markdown table: a row per curve (and start), a column per controller; and below it, in words, where ours loses.</summary>
public static class ClimbTable
{
    private const double Percent = 100;
    private const double HighPercentile = 0.95;

    // Less than a tenth of a percent point apart is equal.
    private const double Worth = 0.001;

    /// <summary>Prints the table.</summary>
    /// <param name="writer">Where to.</param>
    /// <param name="outcomes">The runs, by case and pool.</param>
    /// <param name="options">What was simulated.</param>
    /// <param name="byStart">Whether each start has a row.</param>
    public static void Print(TextWriter writer, IReadOnlyDictionary<(string Case, string Pool), List<ClimbOutcome>> outcomes, ClimbOptions options,
        bool byStart)
    {
        string[] pools = [.. outcomes.Keys.Select(k => k.Pool).Distinct(StringComparer.Ordinal)];
        bool hasChange = outcomes.Values.Any(o => o.Any(x => !double.IsNaN(x.Metrics.RecoverSeconds)));
        int runs = outcomes.Values.Max(o => o.Count);
        writer.WriteLine(string.Create(CultureInfo.InvariantCulture,
            $"climb: {options.Seconds:0} s, starts {string.Join(", ", options.Starts)}, {runs / options.Starts.Count} seeds each, CV "
            + $"{options.Settings.Noise:0.##}, autocorrelation {options.Settings.Correlation:0.##}{(options.Settings.IsCpuKnown ? "" : ", CPU unknown")}."));
        writer.WriteLine($"Cells: converged after p50 / p95 s;{(hasChange ? " recovered after p50 / p95 s;" : "")} regret / steady regret, means in %; "
            + "threads of the last minute over the best size. **Bold**: the least regret of the row, the oracle aside.");
        writer.WriteLine();
        writer.WriteLine($"| curve |{(byStart ? " start |" : "")} {string.Join(" | ", pools)} |");
        writer.WriteLine($"|---|{(byStart ? "---|" : "")}{string.Concat(pools.Select(_ => "---|"))}");
        List<string> losses = [];
        foreach (string curve in outcomes.Keys.Select(k => k.Case).Distinct(StringComparer.Ordinal))
        {
            foreach (int? start in byStart ? options.Starts.Select(s => (int?)s) : [null])
            {
                Dictionary<string, ClimbOutcome[]> row = pools
                    .Where(p => outcomes.ContainsKey((curve, p)))
                    .ToDictionary(p => p, p => outcomes[(curve, p)].Where(o => start is null || o.Start == start).ToArray(), StringComparer.Ordinal);
                PrintRow(writer, curve, start, pools, row);
                losses.AddRange(Losses(start is null ? curve : FormattableString.Invariant($"{curve} from {start}"), row));
            }
        }

        writer.WriteLine();
        if (pools.Contains(Comparators.Ours, StringComparer.Ordinal))
        {
            writer.WriteLine(losses.Count == 0 ? $"{Comparators.Ours} loses no cell." : $"{Comparators.Ours} LOSES: {string.Join("; ", losses)}.");
        }
    }

    /// <summary>A percentile: the smallest value that so many are not above.</summary>
    /// <param name="values">The values.</param>
    /// <param name="share">0 to 1.</param>
    public static double Percentile(IEnumerable<double> values, double share)
    {
        double[] sorted = [.. values.Order()];
        return sorted.Length == 0 ? double.NaN : sorted[Math.Max(0, (int)Math.Ceiling(share * sorted.Length) - 1)];
    }

    private static void PrintRow(TextWriter writer, string curve, int? start, string[] pools, Dictionary<string, ClimbOutcome[]> row)
    {
        double least = row.Where(p => p.Key != Comparators.Oracle).Select(p => Regret(p.Value)).DefaultIfEmpty(double.NaN).Min();
        IEnumerable<string> cells =
            pools.Select(p => row.TryGetValue(p, out ClimbOutcome[]? o) ? Cell(o, p != Comparators.Oracle && Regret(o) <= least + Worth) : "-");
        string place = start is null ? "" : string.Create(CultureInfo.InvariantCulture, $" {start} |");
        writer.WriteLine($"| {curve} |{place} {string.Join(" | ", cells)} |");
    }

    private static string Cell(ClimbOutcome[] outcomes, bool isBest)
    {
        string recovered = double.IsNaN(outcomes[0].Metrics.RecoverSeconds) ? "" : $" {Times(outcomes, m => m.RecoverSeconds)};";
        string regret = OneDigit(Percent * Regret(outcomes));
        return string.Create(CultureInfo.InvariantCulture,
            $"{Times(outcomes, m => m.ConvergeSeconds)};{recovered} {(isBest ? $"**{regret}**" : regret)} / {OneDigit(Percent * Steady(outcomes))}; "
            + $"{outcomes.Average(o => o.Metrics.ThreadsOverBest):0.00}");
    }

    // Adding zero turns a rounded minus zero into zero.
    private static string OneDigit(double value) => (Math.Round(value, 1) + 0.0).ToString("0.0", CultureInfo.InvariantCulture);

    private static string Times(ClimbOutcome[] outcomes, Func<ClimbMetrics, double> time)
    {
        double[] values = [.. outcomes.Select(o => time(o.Metrics))];
        return $"{Time(Percentile(values, 0.5))} / {Time(Percentile(values, HighPercentile))}";
    }

    private static string Time(double seconds) => double.IsInfinity(seconds) ? "never"
        : seconds.ToString(seconds < 10 ? "0.0" : "0", CultureInfo.InvariantCulture);

    private static string Seconds(double seconds) => Time(seconds) + (double.IsInfinity(seconds) ? "" : " s");

    private static double Regret(ClimbOutcome[] outcomes) => outcomes.Average(o => o.Metrics.Regret);

    private static double Steady(ClimbOutcome[] outcomes) => outcomes.Average(o => o.Metrics.SteadyRegret);

    private static IEnumerable<string> Losses(string place, Dictionary<string, ClimbOutcome[]> row)
    {
        if (!row.TryGetValue(Comparators.Ours, out ClimbOutcome[]? ours))
        {
            yield break;
        }

        foreach ((string pool, ClimbOutcome[] theirs) in row.Where(p => p.Key is not (Comparators.Ours or Comparators.Oracle)))
        {
            if (Regret(theirs) < Regret(ours) - Worth)
            {
                yield return string.Create(CultureInfo.InvariantCulture,
                    $"{place} regret {Percent * Regret(ours):0.0} against {Percent * Regret(theirs):0.0} of {pool}");
            }

            if (Steady(theirs) < Steady(ours) - Worth)
            {
                yield return string.Create(CultureInfo.InvariantCulture,
                    $"{place} steady {Percent * Steady(ours):0.0} against {Percent * Steady(theirs):0.0} of {pool}");
            }

            double p95 = Percentile(ours.Select(o => o.Metrics.ConvergeSeconds), HighPercentile);
            double theirP95 = Percentile(theirs.Select(o => o.Metrics.ConvergeSeconds), HighPercentile);
            if (theirP95 < p95)
            {
                yield return $"{place} converged p95 {Seconds(p95)} against {Seconds(theirP95)} of {pool}";
            }
        }
    }
}
