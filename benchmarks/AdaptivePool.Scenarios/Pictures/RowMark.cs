using AdaptivePool.Scenarios.Harness;

namespace AdaptivePool.Scenarios.Pictures;

/// <summary>One pool's values of one metric in a row of a picture.</summary>
/// <param name="Row">The row: the case.</param>
/// <param name="Series">What the mark's colour stands for: the pool, the metric, or both.</param>
/// <param name="Unit">Unit of the metric.</param>
/// <param name="Values">The values of the rounds, lowest first; at least one.</param>
public sealed record RowMark(string Row, string Series, string Unit, IReadOnlyList<double> Values)
{
    /// <summary>The value in the middle; of an even number the mean of the two in the middle.</summary>
    public double Median => Bootstrap.Median(Values);

    /// <summary>The value below which a quarter lies.</summary>
    public double LowerQuartile => At(0.25);

    /// <summary>The value above which a quarter lies.</summary>
    public double UpperQuartile => At(0.75);

    /// <summary>Chooses what a picture shows.</summary>
    /// <param name="cells">Results.</param>
    /// <param name="cases">Beginnings of the names of cases; empty for all. They stand in the order of these.</param>
    /// <param name="metrics">Names of metrics.</param>
    /// <returns>The marks, row by row.</returns>
    public static IReadOnlyList<RowMark> Choose(IReadOnlyList<PictureCell> cells, IReadOnlyList<string> cases, IReadOnlyList<string> metrics)
    {
        IReadOnlyList<string> beginnings = cases.Count > 0 ? cases : [""];
        PictureCell[] chosen =
        [
            .. beginnings
                .SelectMany(beginning => cells.Where(cell => cell.Case.StartsWith(beginning, StringComparison.Ordinal)))
                .Distinct()
                .Where(cell => metrics.Contains(cell.Metric, StringComparer.Ordinal) && cell.Values.Count > 0),
        ];
        bool manyPools = chosen.Select(static cell => cell.Pool).Distinct(StringComparer.Ordinal).Skip(1).Any();
        bool manyMetrics = metrics.Count > 1;
        return
        [
            .. chosen
                .GroupBy(cell => (cell.Case, Series: manyPools && manyMetrics ? $"{cell.Pool}, {cell.Metric}" : manyMetrics ? cell.Metric : cell.Pool))
                .Select(static group => new RowMark(
                    group.Key.Case, group.Key.Series, group.First().Unit, [.. group.SelectMany(static cell => cell.Values).Order()])),
        ];
    }

    private double At(double share)
    {
        double place = share * (Values.Count - 1);
        int below = (int)Math.Floor(place);
        return Values[below] + ((place - below) * (Values[Math.Min(below + 1, Values.Count - 1)] - Values[below]));
    }
}
