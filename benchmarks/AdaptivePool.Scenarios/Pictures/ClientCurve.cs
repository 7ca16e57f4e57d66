using System.Globalization;
using System.Text.Json;

namespace AdaptivePool.Scenarios.Pictures;

/// <summary>One metric of one pool over the number of clients.</summary>
/// <param name="Pool">The pool.</param>
/// <param name="Unit">Unit of the metric.</param>
/// <param name="Points">Clients, and the values of the rounds; fewest clients first.</param>
public sealed record ClientCurve(string Pool, string Unit, IReadOnlyList<ClientCurvePoint> Points)
{
    /// <summary>Reads result files.</summary>
    /// <param name="paths">Files that <c>--json</c> wrote.</param>
    /// <param name="prefix">The cases: their names are this and a number of clients. Or one case whose name is this.</param>
    /// <param name="metric">The metric. Of one case: the metrics whose names are this, a hyphen and a number of clients.</param>
    /// <returns>The curves in the order in which the files name the pools.</returns>
    /// <exception cref="IOException">A file cannot be read.</exception>
    /// <exception cref="JsonException">A file is no JSON.</exception>
    public static IReadOnlyList<ClientCurve> Read(IEnumerable<string> paths, string prefix, string metric)
    {
        List<(string Pool, string Unit, int Clients, double[] Values)> cells = [];
        foreach (string path in paths)
        {
            using JsonDocument document = JsonDocument.Parse(File.ReadAllBytes(path));
            foreach (JsonElement cell in document.RootElement.EnumerateArray())
            {
                string caseName = Text(cell, "case");
                string metricName = Text(cell, "metric");
                int? found = metricName == metric ? ClientsOf(caseName, prefix) : caseName == prefix ? ClientsOf(metricName, metric + "-") : null;
                if (found is { } clients)
                {
                    cells.Add((Text(cell, "pool"), Text(cell, "unit"), clients,
                        [.. cell.GetProperty("values").EnumerateArray().Select(static value => value.GetDouble())]));
                }
            }
        }

        return [.. cells.GroupBy(static cell => cell.Pool, StringComparer.Ordinal)
            .Select(static pool => new ClientCurve(pool.Key, pool.First().Unit, PointsOf(pool)))];
    }

    private static ClientCurvePoint[] PointsOf(IEnumerable<(string Pool, string Unit, int Clients, double[] Values)> cells) =>
    [
        .. cells
            .GroupBy(static cell => cell.Clients)
            .Select(static cell => new ClientCurvePoint(cell.Key, [.. cell.SelectMany(static it => it.Values).Order()]))
            .Where(static point => point.Values.Count > 0)
            .OrderBy(static point => point.Clients),
    ];

    private static int? ClientsOf(string name, string prefix) =>
        name.StartsWith(prefix, StringComparison.Ordinal)
            && int.TryParse(name.AsSpan(prefix.Length), NumberStyles.None, CultureInfo.InvariantCulture, out int clients) && clients > 0 ? clients : null;

    private static string Text(JsonElement cell, string name) => cell.GetProperty(name).GetString() ?? "";
}
