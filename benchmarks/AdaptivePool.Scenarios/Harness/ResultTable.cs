using System.Globalization;
using Spectre.Console;

namespace AdaptivePool.Scenarios.Harness;

/// <summary>Prints results: medians, spread, and the ratio to the runtime's pool.</summary>
public static class ResultTable
{
    private const int RedirectedWidth = 150;
    private const string Baseline = "runtime";

    /// <summary>Prints the table.</summary>
    public static void Print(Scenario scenario, ResultSet results)
    {
        IAnsiConsole console = AnsiConsole.Console;
        if (Console.IsOutputRedirected)
        {
            console.Profile.Width = RedirectedWidth;
            console.Profile.Capabilities.Ansi = false;
            console.Profile.Capabilities.ColorSystem = ColorSystem.NoColors;
        }

        Table table = new() { Title = new TableTitle(Markup.Escape(scenario.Name)), Border = TableBorder.Simple };
        table.AddColumns("case", "metric", "pool");
        foreach (string column in new[] { "median", "min - max", "rounds", "to runtime" })
        {
            table.AddColumn(new TableColumn(column).RightAligned());
        }

        table.AddColumn("");
        foreach (string caseName in results.Cells.Select(c => c.Case).Distinct(StringComparer.Ordinal))
        {
            foreach (MetricInfo metric in scenario.Metrics)
            {
                AddRows(table, results, caseName, metric);
            }
        }

        console.Write(table);
    }

    private static void AddRows(Table table, ResultSet results, string caseName, MetricInfo metric)
    {
        ResultCell? baseline = results.Find(caseName, Baseline, metric.Name);
        foreach (ResultCell cell in results.Row(caseName, metric.Name))
        {
            double ratio = baseline is null ? double.NaN : cell.Median / baseline.Median;
            bool shown = double.IsFinite(ratio);
            table.AddRow(
                Markup.Escape(cell.Case),
                Markup.Escape($"{metric.Name} ({metric.Unit})"),
                Markup.Escape(cell.Pool),
                Text(cell, metric, cell.Median),
                $"{Number(cell.Values.Min())} - {Number(cell.Values.Max())}",
                cell.Values.Count.ToString(CultureInfo.InvariantCulture),
                !shown ? "-" : cell.Pool == Baseline ? "1" : Bound(cell, baseline!, metric) + Number(ratio),
                !shown || cell.Pool == Baseline ? "" : Verdict(metric, ratio));
        }
    }

    private static string Text(ResultCell cell, MetricInfo metric, double value) =>
        (cell.Censored ? Sign(metric) : "") + Number(value);

    /// <summary>A limit cuts a time from above and a rate from below.</summary>
    private static string Sign(MetricInfo metric) => metric.Better == Better.Higher ? "<= " : ">= ";

    private static string Bound(ResultCell cell, ResultCell baseline, MetricInfo metric) =>
        (cell.Censored, baseline.Censored) switch
        {
            (false, false) => "",
            (true, true) => "? ",
            (true, false) => Sign(metric),
            (false, true) => metric.Better == Better.Higher ? ">= " : "<= ",
        };

    private static string Verdict(MetricInfo metric, double ratio) => metric.Better switch
    {
        Better.Neutral => "",
        _ when ratio is >= 0.95 and <= 1.05 => "equal",
        Better.Higher => ratio > 1 ? "better" : "WORSE",
        _ => ratio < 1 ? "better" : "WORSE",
    };

    private static string Number(double value) => Math.Abs(value) switch
    {
        double.NaN => "-",
        >= 1_000 => value.ToString("#,##0", CultureInfo.InvariantCulture),
        >= 100 => value.ToString("0", CultureInfo.InvariantCulture),
        >= 10 => value.ToString("0.0", CultureInfo.InvariantCulture),
        >= 0.1 or 0 => value.ToString("0.00", CultureInfo.InvariantCulture),
        _ => value.ToString("0.0000", CultureInfo.InvariantCulture),
    };
}
