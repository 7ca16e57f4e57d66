namespace AdaptivePool.Simulation.Classes;

/// <summary>Throughput of a server against its concurrency, by linear interpolation over the logarithm of the concurrency.</summary>
internal sealed class ThroughputCurve(params (double Concurrency, double PerSecond)[] points)
{
    /// <summary>Server on another machine: rises to about 8, falls to 0.17 of its peak at 1,024 (measured on a real database).</summary>
    public static ThroughputCurve RemoteDatabase { get; } = new(
        (1, 1_100), (2, 2_000), (4, 3_250), (8, 3_700), (16, 3_400), (32, 3_044), (64, 2_400), (256, 1_600), (1_024, 630));

    /// <summary>Server that shares our cores: flat between 4 and 8.</summary>
    public static ThroughputCurve LocalDatabase { get; } = new(
        (1, 1_300), (2, 2_500), (4, 3_450), (8, 3_500), (16, 2_819), (32, 2_544), (64, 2_241), (256, 1_320), (1_024, 594));

    public double Peak => points.Max(static p => p.PerSecond);

    public double At(double concurrency)
    {
        if (concurrency <= points[0].Concurrency)
        {
            return points[0].PerSecond * concurrency / points[0].Concurrency;
        }

        for (int i = 1; i < points.Length; i++)
        {
            (double x1, double y1) = points[i];
            if (concurrency <= x1)
            {
                (double x0, double y0) = points[i - 1];
                return y0 + ((y1 - y0) * Math.Log(concurrency / x0) / Math.Log(x1 / x0));
            }
        }

        return points[^1].PerSecond;
    }
}
