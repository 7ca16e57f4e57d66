using AdaptivePool.Control;
using Shouldly;
using Xunit;

namespace AdaptivePool.Tests.Control;

public sealed class WaveNoiseTests
{
    private static readonly WaveShape s_wave = new(40, 30, 4);

    [Fact]
    public void Variance_NothingSeen_IsThatOfCountingAndAFirstGuess()
    {
        WaveNoise noise = WaveNoise.Unknown;
        noise.Variance(100).ShouldBe(0.01 + 0.03, 1e-12);
        noise.Variance(double.PositiveInfinity).ShouldBe(0.03, 1e-12, "what more completions would not remove");
    }

    [Fact]
    public void Variance_ManyQuietPeriods_FallsFarBelowTheFirstGuess()
    {
        WaveNoise noise = WaveNoise.Unknown;
        for (int i = 0; i < 40; i++)
        {
            noise = noise.With(s_wave, 0.1, 0.001);
        }

        noise.Variance(10_000).ShouldBeLessThan(0.03 / 50);
    }

    [Fact]
    public void Variance_ManyNoisyPeriods_ApproachesTheScatter()
    {
        WaveNoise noise = WaveNoise.Unknown;
        var random = new Random(3);
        for (int i = 0; i < 400; i++)
        {
            double contrast = 0.2 + (0.1 * Gauss(random));
            noise = noise.With(s_wave, contrast, 0.1 * Gauss(random));
        }

        noise.Variance(1000).ShouldBeInRange(0.006, 0.015);
    }

    [Fact]
    public void Variance_DriftingPool_IsNotDominatedByTheDrift()
    {
        // A drift shows in the quadrature of every period and in no contrast.
        WaveNoise noise = WaveNoise.Unknown;
        for (int i = 0; i < 100; i++)
        {
            double contrast = 0.1 + (i % 2 == 0 ? 0.01 : -0.01);
            noise = noise.With(s_wave, contrast, 0.3);
        }

        noise.Variance(1000).ShouldBeLessThan(0.3 * 0.3 / 8);
    }

    [Fact]
    public void Variance_NoNoiseAtAll_StaysPositive()
    {
        WaveNoise noise = WaveNoise.Unknown;
        for (int i = 0; i < 1000; i++)
        {
            noise = noise.With(s_wave, 0.1, 0);
        }

        noise.Variance(100).ShouldBeGreaterThan(0);
    }

    [Fact]
    public void With_AnotherWave_IsNoScatterOfTheOneBefore()
    {
        WaveNoise noise = WaveNoise.Unknown;
        WaveNoise other = WaveNoise.Unknown;
        for (int i = 0; i < 40; i++)
        {
            double contrast = i % 2 == 0 ? 0.5 : -0.5;
            noise = noise.With(s_wave, contrast, 0.01);
            other = other.With(i % 2 == 0 ? s_wave : s_wave with { Probe = 20 }, contrast, 0.01);
        }

        noise.Variance(1000).ShouldBeGreaterThan(20 * other.Variance(1000));
    }

    private static double Gauss(Random random)
        => Math.Sqrt(-2 * Math.Log(1 - random.NextDouble())) * Math.Cos(2 * Math.PI * random.NextDouble());
}
