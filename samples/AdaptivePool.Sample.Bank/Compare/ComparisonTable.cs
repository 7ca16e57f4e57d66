using System.Globalization;
using Spectre.Console;

namespace AdaptivePool.Sample.Bank.Compare;

/// <summary>The one table at the end.</summary>
internal static class ComparisonTable
{
    public static Table Create(IEnumerable<(Workload Workload, Summary Runtime, Summary Adaptive)> rows)
    {
        Table table = new Table().Border(TableBorder.Rounded).AddColumn(new TableColumn("endpoint") { NoWrap = true });
        foreach (string header in (string[])["clients", "pool", "requests/s", "p50 ms", "p99 ms", "peak\nthreads", "full speed\nafter s", "ratio"])
        {
            table.AddColumn(new TableColumn(header) { Alignment = header == "pool" ? Justify.Left : Justify.Right, NoWrap = header == "pool" });
        }

        foreach ((Workload workload, Summary runtime, Summary adaptive) in rows)
        {
            Add(table, workload.Name, workload.AllClients.ToString(CultureInfo.InvariantCulture), "runtime", runtime, "1.00");
            string ratio = runtime.RequestsPerSecond > 0 ? Number(adaptive.RequestsPerSecond / runtime.RequestsPerSecond, "0.00") : "∞";
            Add(table, "", "", "adaptive", adaptive, ratio);
        }

        return table;
    }

    private static void Add(Table table, string endpoint, string clients, string pool, Summary summary, string ratio) => table.AddRow(
        Markup.Escape(endpoint),
        clients,
        pool,
        Number(summary.RequestsPerSecond, summary.RequestsPerSecond < 100 ? "0.0" : "#,0"),
        Latency(summary, summary.P50),
        Latency(summary, summary.P99),
        summary.PeakThreads.ToString(CultureInfo.InvariantCulture),
        summary.FullSpeed is { } time ? Number(time.TotalSeconds, "0.0") : "> " + Number(summary.FirstCell.TotalSeconds, "0.0"),
        ratio);

    private static string Latency(Summary summary, TimeSpan time) => (summary.IsLowerBound ? "> " : "") + Milliseconds(time);

    private static string Milliseconds(TimeSpan time) => Number(time.TotalMilliseconds, time.TotalMilliseconds < 100 ? "0.0" : "#,0");

    private static string Number(double value, string format) => value.ToString(format, CultureInfo.InvariantCulture);
}
