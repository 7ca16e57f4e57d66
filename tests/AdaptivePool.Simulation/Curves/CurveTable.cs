using MathNet.Numerics.Interpolation;

namespace AdaptivePool.Simulation.Curves;

/// <summary>
/// Throughput by threads as rows, and what lies between them. Below the first row a straight line from nothing, above the last row its throughput.
/// </summary>
public static class CurveTable
{
    private const int FewestRows = 2;
    private const int FewestRowsOfSpline = 3;

    /// <summary>The table as a function.</summary>
    /// <param name="name">What to call the table in errors: a file or a curve.</param>
    /// <param name="rows">Threads, rising; completions per second.</param>
    /// <param name="interpolation">What lies between the rows.</param>
    /// <exception cref="CurveFormatException">The rows are no curve.</exception>
    public static Func<double, double> ToFunction(string name, IReadOnlyList<(int Threads, double Throughput)> rows, CurveInterpolation interpolation)
    {
        Check(name, rows, i => $"row {i + 1}");
        double[] x = [.. rows.Select(r => (double)r.Threads)];
        double[] y = [.. rows.Select(r => r.Throughput)];
        IInterpolation between = interpolation switch
        {
            CurveInterpolation.MonotoneSpline when x.Length >= FewestRowsOfSpline => CubicSpline.InterpolatePchipSorted(x, y),
            CurveInterpolation.NaturalSpline when x.Length >= FewestRowsOfSpline => CubicSpline.InterpolateNaturalSorted(x, y),
            _ => LinearSpline.InterpolateSorted(x, y),
        };
        return n => n <= x[0] ? y[0] * n / x[0] : n >= x[^1] ? y[^1] : Math.Max(0, between.Interpolate(n));
    }

    /// <summary>Refuses rows that are no curve.</summary>
    /// <param name="name">What to call the table in errors.</param>
    /// <param name="rows">The rows.</param>
    /// <param name="place">What to call a row in errors, by its index.</param>
    /// <exception cref="CurveFormatException">They are not.</exception>
    public static void Check(string name, IReadOnlyList<(int Threads, double Throughput)> rows, Func<int, string> place)
    {
        for (int i = 0; i < rows.Count; i++)
        {
            (int threads, double throughput) = rows[i];
            if (threads < 1)
            {
                throw new CurveFormatException(FormattableString.Invariant($"{name}, {place(i)}: {threads} threads; a row needs one or more."));
            }

            if (!double.IsFinite(throughput) || throughput < 0)
            {
                throw new CurveFormatException(
                    FormattableString.Invariant($"{name}, {place(i)}: throughput {throughput}; it must be zero or more and finite."));
            }

            if (i > 0 && threads == rows[i - 1].Threads)
            {
                throw new CurveFormatException(
                    FormattableString.Invariant(
                    $"{name}, {place(i)}: {threads} threads are already in {place(i - 1)}; each number of threads may appear once."));
            }

            if (i > 0 && threads < rows[i - 1].Threads)
            {
                throw new CurveFormatException(
                    FormattableString.Invariant(
                    $"{name}, {place(i)}: {threads} threads after {rows[i - 1].Threads} in {place(i - 1)}; rows must be sorted by threads."));
            }
        }

        if (rows.Count < FewestRows)
        {
            throw new CurveFormatException(FormattableString.Invariant($"{name}: {rows.Count} row(s); a curve needs {FewestRows} or more."));
        }

        if (rows.All(r => r.Throughput <= 0))
        {
            throw new CurveFormatException($"{name}: no row has a throughput over zero.");
        }
    }
}
