using System.Globalization;

namespace AdaptivePool.Scenarios.Pictures;

/// <summary>One metric of one pool over the number of clients.</summary>
/// <param name="Pool">The pool.</param>
/// <param name="Unit">Unit of the metric.</param>
/// <param name="Points">Clients, and the values of the rounds; fewest clients first.</param>
public sealed record ClientCurve(string Pool, string Unit, IReadOnlyList<ClientCurvePoint> Points)
{
    /// <summary>Chooses what a picture shows.</summary>
    /// <param name="cells">Results.</param>
    /// <param name="prefix">The cases: their names are this and a number of clients. Or one case whose name is this.</param>
    /// <param name="metric">The metric. Of one case: the metrics whose names are this, a hyphen and a number of clients.</param>
    /// <returns>The curves in the order in which the results name the pools.</returns>
    public static IReadOnlyList<ClientCurve> Choose(IReadOnlyList<PictureCell> cells, string prefix, string metric) =>
    [
        .. cells
            .Select(cell => (Cell: cell, Clients: cell.Metric == metric ? ClientsOf(cell.Case, prefix)
                : cell.Case == prefix ? ClientsOf(cell.Metric, metric + "-") : null))
            .Where(static it => it.Clients is not null)
            .GroupBy(static it => it.Cell.Pool, StringComparer.Ordinal)
            .Select(static pool => new ClientCurve(pool.Key, pool.First().Cell.Unit,
                PointsOf(pool.Select(static it => (it.Clients!.Value, it.Cell.Values))))),
    ];

    private static ClientCurvePoint[] PointsOf(IEnumerable<(int Clients, IReadOnlyList<double> Values)> cells) =>
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
}
