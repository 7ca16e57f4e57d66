using AdaptivePool.Control;
using Shouldly;
using Xunit;

namespace AdaptivePool.Tests.Control;

public sealed class WaveNoiseTests
{
    [Fact]
    public void Variance_NothingSeen_IsThatOfCountingAndAFirstGuess()
    {
        var noise = new WaveNoise();
        noise.Variance(100).ShouldBe(0.01 + 0.03, 1e-12);
        noise.Variance(double.PositiveInfinity).ShouldBe(0.03, 1e-12, "what more completions would not remove");
    }

    [Fact]
    public void Variance_ManyQuietPeriods_FallsFarBelowTheFirstGuess()
    {
        var noise = new WaveNoise();
        for (int i = 0; i < 40; i++)
        {
            noise.Add(0.1, 0.001, 0.1);
        }

        noise.Variance(10_000).ShouldBeLessThan(0.03 / 50);
    }

    [Fact]
    public void Variance_ManyNoisyPeriods_ApproachesTheScatter()
    {
        var noise = new WaveNoise();
        var random = new Random(3);
        double previous = double.NaN;
        for (int i = 0; i < 400; i++)
        {
            double contrast = 0.2 + (0.1 * Gauss(random));
            noise.Add(contrast, 0.1 * Gauss(random), previous);
            previous = contrast;
        }

        noise.Variance(1000).ShouldBeInRange(0.006, 0.015);
    }

    [Fact]
    public void Variance_DriftingPool_IsNotDominatedByTheDrift()
    {
        // A drift shows in the quadrature of every period and in no contrast.
        var noise = new WaveNoise();
        double previous = double.NaN;
        for (int i = 0; i < 100; i++)
        {
            double contrast = 0.1 + (i % 2 == 0 ? 0.01 : -0.01);
            noise.Add(contrast, 0.3, previous);
            previous = contrast;
        }

        noise.Variance(1000).ShouldBeLessThan(0.3 * 0.3 / 8);
    }

    [Fact]
    public void Variance_NoNoiseAtAll_StaysPositive()
    {
        var noise = new WaveNoise();
        for (int i = 0; i < 1000; i++)
        {
            noise.Add(0.1, 0, 0.1);
        }

        noise.Variance(100).ShouldBeGreaterThan(0);
    }

    private static double Gauss(Random random)
        => Math.Sqrt(-2 * Math.Log(1 - random.NextDouble())) * Math.Cos(2 * Math.PI * random.NextDouble());
}
