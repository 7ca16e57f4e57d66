using System.Text.Json;

namespace AdaptivePool.Scenarios.Pictures;

/// <summary>What the rounds of one case showed of one metric of one pool.</summary>
/// <param name="Case">The case.</param>
/// <param name="Pool">The pool.</param>
/// <param name="Metric">The metric.</param>
/// <param name="Unit">Its unit.</param>
/// <param name="Values">One value per round, in the order of the rounds.</param>
public sealed record PictureCell(string Case, string Pool, string Metric, string Unit, IReadOnlyList<double> Values)
{
    /// <summary>Reads result files.</summary>
    /// <param name="paths">Files that <c>--json</c> wrote.</param>
    /// <returns>Their cells, in the order of the files.</returns>
    /// <exception cref="IOException">A file cannot be read.</exception>
    /// <exception cref="JsonException">A file is no JSON.</exception>
    public static IReadOnlyList<PictureCell> Read(IEnumerable<string> paths)
    {
        List<PictureCell> cells = [];
        foreach (string path in paths)
        {
            using JsonDocument document = JsonDocument.Parse(File.ReadAllBytes(path));
            cells.AddRange(document.RootElement.EnumerateArray().Select(static cell => new PictureCell(
                Text(cell, "case"), Text(cell, "pool"), Text(cell, "metric"), Text(cell, "unit"),
                [.. cell.GetProperty("values").EnumerateArray().Select(static value => value.GetDouble())])));
        }

        return cells;
    }

    private static string Text(JsonElement cell, string name) => cell.GetProperty(name).GetString() ?? "";
}
