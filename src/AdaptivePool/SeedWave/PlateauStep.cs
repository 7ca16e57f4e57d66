using System.Globalization;
using MathNet.Numerics;
using MathNet.Numerics.LinearAlgebra;
using MathNet.Numerics.LinearRegression;
using MathNet.Numerics.Optimization;

namespace AdaptivePool.SeedWave;

/// <summary>
/// The step down on a plateau: new = old (0.5 + sum k(2i-1) exp(-k(2i) old)), with k solved from 2N reference points (seed 000, "Flexible step adjustment in
/// the PLATEAU mode"). Halving is right for large sizes and too coarse for small ones, where the sum makes the step shorter.
/// </summary>
internal sealed class PlateauStep
{
    // The share that remains of a large size: the seed's original rule.
    private const double Floor = 0.5;

    // A solution must meet each point this closely, as a share of the size. That is far below one thread at any size.
    private const double Accuracy = 1e-7;

    private const int MaxIterations = 1000;

    // Rates from "hardly falls within the points" to "is gone before the first one" are tried as starting points. The best few of them are solved completely.
    private const int GuessedRates = 16;
    private const int Beginnings = 8;
    private const double SlowestRate = 0.05;
    private const double FastestRate = 5;

    private readonly double[] _k;

    /// <summary>Solves the coefficients.</summary>
    /// <param name="points">2N points in rising order of size.</param>
    /// <exception cref="ArgumentOutOfRangeException">No sum of N exponentials goes through the points, or the sum would step upwards or below zero at a size
    /// larger than the first one.</exception>
    public PlateauStep(IReadOnlyList<PlateauPoint> points)
    {
        _k = Solve(points) ?? throw OptionCheck.Refusal(Refused(points));
    }

    /// <summary>Returns the error in the points; <see langword="null"/> where they give a valid step.</summary>
    /// <param name="points">2N points in rising order of size.</param>
    public static OptionFailure? FailureOf(IReadOnlyList<PlateauPoint> points) => Solve(points) is null ? Refused(points) : null;

    /// <summary>k1, k2, k3 ...: height and rate of each exponential.</summary>
    public ReadOnlySpan<double> Coefficients => _k;

    /// <summary>Returns the size after one step: smaller by at least one thread, and at least one thread.</summary>
    /// <param name="size">Size before, in threads.</param>
    public int Next(int size) => Math.Clamp((int)Math.Round(Exact(size)), 1, Math.Max(1, size - 1));

    /// <summary>Returns the value of the formula.</summary>
    /// <param name="size">Size before, in threads.</param>
    public double Exact(double size) => size * (Floor + Sum(_k, size));

    private static OptionFailure Refused(IReadOnlyList<PlateauPoint> points) => OptionCheck.Failure(
        nameof(SeedWaveOptions.PlateauPoints),
        string.Join(", ", points.Select(p => string.Create(CultureInfo.InvariantCulture, $"({p.Size};{p.NextSize})"))),
        "points that a sum of half as many exponentials can go through, with a step down at every size from the first one on");

    private static double Sum(double[] k, double size)
    {
        double sum = 0;
        for (int i = 0; i < k.Length; i += 2)
        {
            sum += k[i] * Math.Exp(-k[i + 1] * size);
        }

        return sum;
    }

    private static double[]? Solve(IReadOnlyList<PlateauPoint> points)
    {
        double[] sizes = [.. points.Select(p => p.Size)];
        double[] wanted = [.. points.Select(p => (p.NextSize / p.Size) - Floor)];
        double slowest = SlowestRate / sizes[^1];
        double step = Math.Pow(FastestRate / sizes[0] / slowest, 1.0 / (GuessedRates - 1));
        double[] rates = [.. Enumerable.Range(0, GuessedRates).Select(i => slowest * Math.Pow(step, i))];
        IEnumerable<double[]> beginnings = Choices(rates, sizes.Length / 2)
            .Select(chosen => WithHeights(chosen, sizes, wanted))
            .OrderBy(k => Residuals(k, sizes, wanted).Sum(r => r * r))
            .Take(Beginnings);
        return beginnings.Select(k => SolveFrom(k, sizes, wanted)).FirstOrDefault(k => k is not null && IsStepDown(k, sizes[0]));
    }

    // All ways to choose some of the rates, each in rising order.
    private static IEnumerable<double[]> Choices(double[] rates, int count)
        => count == 0
            ? [[]]
            : rates.SelectMany((rate, i) => Choices(rates[(i + 1)..], count - 1).Select(rest => (double[])[rate, .. rest]));

    // When the rates are given, the heights are a linear problem.
    private static double[] WithHeights(double[] rates, double[] sizes, double[] wanted)
    {
        double[] heights = MultipleRegression.Svd([.. sizes.Select(s => rates.Select(r => Math.Exp(-r * s)).ToArray())], wanted);
        return [.. rates.SelectMany((r, i) => new[] { heights[i], r })];
    }

    private static double[] Residuals(double[] k, double[] sizes, double[] wanted) => [.. sizes.Select((s, i) => Sum(k, s) - wanted[i])];

    private static double[]? SolveFrom(double[] guess, double[] sizes, double[] wanted)
    {
        try
        {
            double[] k = Fit(guess, sizes, wanted);
            return Residuals(k, sizes, wanted).All(static r => Math.Abs(r) <= Accuracy) ? k : null;
        }
        catch (Exception e) when (e is NonConvergenceException or ArgumentException or ArithmeticException)
        {
            // This guess leads to no solution. The next one is tried.
            return null;
        }
    }

    private static double[] Fit(double[] guess, double[] sizes, double[] wanted)
    {
        Vector<double> Model(Vector<double> k, Vector<double> x) => x.Map(s => Sum(k.AsArray() ?? k.ToArray(), s));
        IObjectiveModel model = ObjectiveFunction.NonlinearModel(Model, Vector<double>.Build.DenseOfArray(sizes), Vector<double>.Build.DenseOfArray(wanted));
        var minimizer = new LevenbergMarquardtMinimizer(gradientTolerance: 1e-20, stepTolerance: 1e-20, functionTolerance: 1e-20,
            maximumIterations: MaxIterations);
        return minimizer.FindMinimum(model, Vector<double>.Build.DenseOfArray(guess)).MinimizingPoint.ToArray();
    }

    // Between and beyond the points the sum may have any value. The sizes that a pool can have are tested in steps of 5 %. Below the first point a step of
    // one thread is as good as any.
    private static bool IsStepDown(double[] k, double smallest)
    {
        const double LargestSize = 32767;
        for (double size = smallest; size <= LargestSize; size = Math.Max(size + 1, size * 1.05))
        {
            double share = Floor + Sum(k, size);
            if (!(share > 0 && share <= 1))
            {
                return false;
            }
        }

        return true;
    }
}
