using AdaptivePool.Simulation;

namespace AdaptivePool.Tests.Simulation;

public sealed class SimulationNoiseTests
{
    private const int Ticks = 40_000;

    [Theory]
    [InlineData(0.1, 0)]
    [InlineData(0.3, 0.6)]
    [InlineData(0.5, 0.9)]
    public void NextTick_Factors_HaveTheVariationAndCorrelationAskedFor(double variation, double correlation)
    {
        var noise = new SimulationNoise(variation, correlation, 7);
        double[] factors = new double[Ticks];
        for (int i = 0; i < Ticks; i++)
        {
            noise.NextTick();
            factors[i] = noise.Factor;
        }

        double mean = factors.Average();
        double variance = factors.Average(f => (f - mean) * (f - mean));
        double[] logs = [.. factors.Select(f => Math.Log(f))];
        double logMean = logs.Average();
        double lag = logs.Skip(1).Zip(logs, (b, a) => (b - logMean) * (a - logMean)).Sum() / logs.Sum(l => (l - logMean) * (l - logMean));
        mean.ShouldBe(1, 0.03);
        (Math.Sqrt(variance) / mean).ShouldBe(variation, 0.1 * variation);
        lag.ShouldBe(correlation, 0.02);
    }

    [Theory]
    [InlineData(3)]
    [InlineData(400)]
    public void Count_Always_VariesAsMuchAsItsMean(double mean)
    {
        var noise = new SimulationNoise(0, 0, 7);
        double[] counts = [.. Enumerable.Range(0, 20_000).Select(_ => (double)noise.Count(mean))];
        counts.Average().ShouldBe(mean, 0.03 * mean);
        counts.Average(c => (c - mean) * (c - mean)).ShouldBe(mean, 0.06 * mean);
    }

    [Fact]
    public void Reading_AskedFor_ChangesNothingElse()
    {
        var one = new SimulationNoise(0.2, 0.5, 7);
        var other = new SimulationNoise(0.2, 0.5, 7);
        other.Reading(0.3).ShouldNotBe(1);
        one.NextTick();
        other.NextTick();
        other.Factor.ShouldBe(one.Factor);
        other.Count(100).ShouldBe(one.Count(100));
    }
}
