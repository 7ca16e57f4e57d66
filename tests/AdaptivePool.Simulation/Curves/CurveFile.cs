using System.Globalization;

namespace AdaptivePool.Simulation.Curves;

/// <summary>Reads a curve from a file of lines <c>threads,throughput</c>. A first line without any number is a header; empty lines say nothing.</summary>
public static class CurveFile
{
    private const int Columns = 2;
    private const int MostThreads = 1_000_000;

    /// <summary>Reads a file; the curve is named after it.</summary>
    /// <param name="path">The file.</param>
    /// <param name="interpolation">What lies between its rows.</param>
    /// <exception cref="CurveFormatException">The file cannot be read or is no curve; the message names the file, the row and the value.</exception>
    public static CostCurve Read(string path, CurveInterpolation interpolation)
    {
        string[] lines;
        try
        {
            lines = File.ReadAllLines(path);
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException or ArgumentException or NotSupportedException)
        {
            throw new CurveFormatException($"{path}: the curve cannot be read. {exception.Message}");
        }

        return CostCurve.Table(Path.GetFileNameWithoutExtension(path), Parse(path, lines), interpolation);
    }

    /// <summary>Reads lines.</summary>
    /// <param name="name">What to call them in errors: the file.</param>
    /// <param name="lines">The lines.</param>
    /// <exception cref="CurveFormatException">They are no curve.</exception>
    public static IReadOnlyList<(int Threads, double Throughput)> Parse(string name, IReadOnlyList<string> lines)
    {
        List<(int, double)> rows = [];
        List<int> places = [];
        bool isFirst = true;
        for (int i = 0; i < lines.Count; i++)
        {
            string line = i == 0 ? lines[i].TrimStart('\uFEFF') : lines[i];
            if (string.IsNullOrWhiteSpace(line))
            {
                continue;
            }

            string[] cells = line.Split(',', StringSplitOptions.TrimEntries);
            bool isHeader = isFirst && Array.TrueForAll(cells, IsWord);
            isFirst = false;
            if (isHeader)
            {
                continue;
            }

            string place = FormattableString.Invariant($"{name}, row {i + 1}");
            if (cells.Length != Columns)
            {
                throw new CurveFormatException($"{place}: '{line}' has {cells.Length} column(s); a row is threads,throughput.");
            }

            rows.Add((Threads(place, cells[0]), Throughput(place, cells[1])));
            places.Add(i + 1);
        }

        CurveTable.Check(name, rows, i => FormattableString.Invariant($"row {places[i]}"));
        return rows;
    }

    private static bool IsWord(string cell) => cell.Length > 0 && !double.TryParse(cell, NumberStyles.Float, CultureInfo.InvariantCulture, out _);

    private static int Threads(string place, string cell)
        => int.TryParse(cell, NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture, out int threads) && threads is >= 1 and <= MostThreads
            ? threads
            : throw new CurveFormatException(
                $"{place}: threads '{cell}' is not a whole number from 1 to {MostThreads.ToString("N0", CultureInfo.InvariantCulture)}.");

    private static double Throughput(string place, string cell)
        => double.TryParse(cell, NumberStyles.Float, CultureInfo.InvariantCulture, out double throughput) && double.IsFinite(throughput) && throughput >= 0
            ? throughput
            : throw new CurveFormatException($"{place}: throughput '{cell}' is not a number of zero or more.");
}
