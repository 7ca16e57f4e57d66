using AdaptivePool.Control;
using AdaptivePool.SeedWave;
using Shouldly;
using Xunit;

namespace AdaptivePool.Tests.SeedWave;

public sealed class SeedReadingTests
{
    [Fact]
    public void Of_ThroughputOverSize_IsTheElasticity()
    {
        SeedReading reading = SeedReading.Of(new WaveReading(10, -3, 80, 1600), false);
        reading.Real.ShouldBe(0.5);
        reading.Noise.ShouldBe(0.15, 1e-12);
        reading.IsUsable.ShouldBeTrue();
    }

    [Fact]
    public void Of_SizeOverThroughput_IsTheInverseOfTheSameSign()
    {
        SeedReading.Of(new WaveReading(10, 0, 80, 1600), true).Real.ShouldBe(2);
        SeedReading.Of(new WaveReading(-10, 0, 80, 1600), true).Real.ShouldBe(-2);
        SeedReading turned = SeedReading.Of(new WaveReading(6, 8, 100, 100), true);
        turned.Real.ShouldBe(0.06, 1e-12);
        turned.Noise.ShouldBe(0.08, 1e-12);
    }

    [Fact]
    public void Of_NoResponse_IsZeroOneWayAndNothingTheOther()
    {
        var flat = new WaveReading(0, 0, 80, 1600);
        SeedReading.Of(flat, false).ShouldBe(new SeedReading(0, 0, true));
        SeedReading.Of(flat, true).IsUsable.ShouldBeFalse();
        SeedReading.Of(new WaveReading(double.NaN, double.NaN, 80, 1600), false).IsUsable.ShouldBeFalse();
    }

    [Theory]
    [InlineData(0.6, 0.2, 1)]
    [InlineData(-0.3, 0.2, 0.5)]
    [InlineData(0.9, 0.1, 1)]
    [InlineData(0.1, 0, 1)]
    public void Confidence_SignalOverThreeTimesTheNoise_AtMostOne(double real, double noise, double confidence)
        => new SeedReading(real, noise, true).Confidence.ShouldBe(confidence, 1e-12);

    [Fact]
    public void Step_EitherReading_IsRawOrWeighted()
    {
        var reading = new SeedReading(-0.3, 0.2, true);
        reading.Step(false).ShouldBe(-0.3);
        reading.Step(true).ShouldBe(-0.15, 1e-12);
    }
}
