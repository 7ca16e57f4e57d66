namespace AdaptivePool.Control;

/// <summary>
/// The state of a <see cref="CurveBelief"/> before anything is measured, on the nodes of the <see cref="CurveGrid"/>. The constants were chosen by
/// simulation, once for eleven built-in and thirty random curves together (ADR 7). Immutable.
/// </summary>
internal static class CurvePrior
{
    // More threads are expected to bring a little gain as long as they are few, and none beyond. Both are within a fifth of a deviation of zero.
    private const double Elasticity = 0.1;
    private const int FewThreads = 16;

    // Standard deviation of the elasticity, and the logarithm of the ratio of sizes over which the knowledge of it fades to 1 / e.
    private const double Deviation = 0.6;
    private const double Memory = 1.1;

    // Bumps that belong to a single size: measured curves are never smooth.
    private const double Roughness = 0.008;

    private static readonly double[] s_rows = [.. MakeCovariance(), .. MakeMean()];

    /// <summary>The covariance of the logarithm of the throughput at each node, row by row.</summary>
    public static ReadOnlySpan<double> Covariance => Rows[..^CurveGrid.Sizes.Length];

    /// <summary>The rows of the covariance, and the mean as one further row, up to a constant.</summary>
    public static ReadOnlySpan<double> Rows => s_rows;

    private static double[] MakeMean()
    {
        var mean = new double[CurveGrid.Sizes.Length];
        for (int i = 0; i < mean.Length; i++)
        {
            mean[i] = Elasticity * Math.Log(Math.Min(CurveGrid.Sizes[i], FewThreads));
        }

        return mean;
    }

    private static double[] MakeCovariance()
    {
        int count = CurveGrid.Sizes.Length;
        var covariance = new double[count * count];
        for (int i = 0; i < count; i++)
        {
            for (int j = 0; j < count; j++)
            {
                covariance[(i * count) + j] = Deviation * Deviation * Integral(CurveGrid.Logs[i], CurveGrid.Logs[j]);
            }

            covariance[(i * count) + i] += Roughness * Roughness;
        }

        return covariance;
    }

    // The integral of exp(-|s - t| / Memory) over s from 0 to u and t from 0 to v: the covariance of two points of a curve whose slope is an
    // Ornstein-Uhlenbeck process.
    private static double Integral(double u, double v)
        => (2 * Memory * Math.Min(u, v)) + (Memory * Memory * (Math.Exp(-u / Memory) + Math.Exp(-v / Memory) - Math.Exp(-Math.Abs(u - v) / Memory) - 1));
}
