using AdaptivePool.Simulation.Curves;
using FsCheck;
using FsCheck.Fluent;

namespace AdaptivePool.Tests.Simulation.Generators;

/// <summary>Random curves with one top, random starts and random noise.</summary>
public static class RandomClimbs
{
    private const int Steps = 1000;
    private const double LargestStart = 2048;
    private const double SlowestStart = 40;

    /// <summary>Curves: rise 0.3 to 1, top at 1 to 1,000 threads, one in three a plateau, 200 to 20,000 per second.</summary>
    public static Gen<RandomCurve> Curve { get; } =
        from rise in Between(RandomCurve.LeastRise, 1)
        from top in Ratio(1, RandomCurve.LargestTop)
        from fall in Gen.Frequency((1, Gen.Constant(0.0)), (2, Between(RandomCurve.LeastFall, RandomCurve.MostFall)))
        from scale in Ratio(RandomCurve.LeastScale, RandomCurve.MostScale)
        select new RandomCurve(rise, (int)Math.Round(top), fall, Math.Round(scale));

    /// <summary>Climbs whose start is not hopelessly slow: starts 1 to 2,048, coefficient of variation 0 to 0.5, autocorrelation 0 to 0.9.</summary>
    public static Gen<RandomClimb> Climb { get; } = (
        from curve in Curve
        from start in Ratio(1, LargestStart)
        from noise in Between(0, 0.5)
        from correlation in Between(0, 0.9)
        from seed in Gen.Choose(1, 1_000_000)
        select new RandomClimb(curve, (int)Math.Round(start), noise, correlation, seed)).Where(c => c.StartResponseSeconds <= SlowestStart);

    private static Gen<double> Between(double low, double high) => Gen.Choose(0, Steps).Select(i => low + ((high - low) * i / Steps));

    // Equal ratios are equally likely: small sizes count as much as big ones.
    private static Gen<double> Ratio(double low, double high) => Gen.Choose(0, Steps).Select(i => low * Math.Pow(high / low, (double)i / Steps));
}
