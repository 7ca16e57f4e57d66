using AdaptivePool.Simulation.Curves;

namespace AdaptivePool.Tests.Simulation.Curves;

public sealed class CurveTableTests
{
    private static readonly (int, double)[] s_rows = [(2, 100), (10, 500), (20, 520), (40, 200)];

    [Theory]
    [InlineData(1, 50)]
    [InlineData(2, 100)]
    [InlineData(6, 300)]
    [InlineData(30, 360)]
    [InlineData(1000, 200)]
    public void ToFunction_Linear_DrawsStraightLines(double threads, double throughput)
        => CurveTable.ToFunction("t", s_rows, CurveInterpolation.Linear)(threads).ShouldBe(throughput, 1e-9);

    [Theory]
    [InlineData(CurveInterpolation.MonotoneSpline)]
    [InlineData(CurveInterpolation.NaturalSpline)]
    public void ToFunction_Spline_MeetsEveryRow(CurveInterpolation interpolation)
    {
        Func<double, double> curve = CurveTable.ToFunction("t", s_rows, interpolation);
        s_rows.ShouldAllBe(r => Math.Abs(curve(r.Item1) - r.Item2) < 1e-6);
        Math.Abs(curve(15) - 510).ShouldBeGreaterThan(0.5);
    }

    [Fact]
    public void ToFunction_MonotoneSpline_StaysBetweenItsRows()
    {
        // Over the flat piece from 10 to 20 a natural spline swings; a top that the table does not have would be a false N*.
        Func<double, double> monotone = CurveTable.ToFunction("t", s_rows, CurveInterpolation.MonotoneSpline);
        Func<double, double> natural = CurveTable.ToFunction("t", s_rows, CurveInterpolation.NaturalSpline);
        double[] between = [.. Enumerable.Range(100, 101).Select(n => n / 10.0)];
        between.Max(monotone).ShouldBeLessThanOrEqualTo(520 + 1e-9);
        between.Max(natural).ShouldBeGreaterThan(521);
    }

    [Fact]
    public void ToFunction_TwoRows_SplineIsALine()
        => CurveTable.ToFunction("t", [(1, 10), (3, 30)], CurveInterpolation.MonotoneSpline)(2).ShouldBe(20, 1e-9);
}
