using AdaptivePool.Control;
using AdaptivePool.SeedWave;
using Shouldly;
using Xunit;

namespace AdaptivePool.Tests.SeedWave;

public sealed class OptimumWatchTests
{
    private static readonly TimeSpan s_latency = TimeSpan.FromMilliseconds(100);

    [Theory]
    [InlineData(1190, 100, 100, false)]
    [InlineData(810, 120, 120, false)]
    [InlineData(1210, 100, 100, true)]
    [InlineData(790, 100, 100, true)]
    [InlineData(1000, 121, 100, true)]
    [InlineData(1000, 79, 100, true)]
    [InlineData(1000, 100, 121, true)]
    [InlineData(1000, 100, 79, true)]
    public void IsLost_BandOfTwentyPercent_WhenOneHasLeftIt(double throughput, int connections, int milliseconds, bool isLost)
        => Fixed(1).IsLost(throughput, connections, TimeSpan.FromMilliseconds(milliseconds)).ShouldBe(isLost);

    [Fact]
    public void IsLost_SlowDrift_IsMeasuredFromTheEntry()
    {
        OptimumWatch watch = Fixed(1);
        for (double throughput = 1000; throughput <= 1200; throughput += 10)
        {
            watch.IsLost(throughput, 100, s_latency).ShouldBeFalse();
        }

        watch.IsLost(1201, 100, s_latency).ShouldBeTrue();
    }

    [Fact]
    public void IsLost_SeveralSamplesWanted_CountsThemInARow()
    {
        OptimumWatch watch = Fixed(3);
        watch.IsLost(500, 100, s_latency).ShouldBeFalse();
        watch.IsLost(500, 100, s_latency).ShouldBeFalse();
        watch.IsLost(1000, 100, s_latency).ShouldBeFalse();
        watch.IsLost(500, 100, s_latency).ShouldBeFalse();
        watch.IsLost(500, 100, s_latency).ShouldBeFalse();
        watch.IsLost(500, 100, s_latency).ShouldBeTrue();
    }

    [Fact]
    public void IsLost_NotKnownOrNotMeasured_IsNotWatched()
    {
        OptimumWatch watch = Fixed(1);
        watch.IsLost(1000, null, TimeSpan.Zero).ShouldBeFalse();
        watch.Fix(1000, null, TimeSpan.Zero);
        watch.IsLost(1000, 5, TimeSpan.FromHours(1)).ShouldBeFalse();
    }

    [Fact]
    public void IsLost_NothingCompletedAtEntry_AnythingIsAChange()
    {
        var watch = new OptimumWatch(0.2, 1);
        watch.Fix(0, null, TimeSpan.Zero);
        watch.IsLost(0, null, TimeSpan.Zero).ShouldBeFalse();
        watch.IsLost(1, null, TimeSpan.Zero).ShouldBeTrue();
    }

    [Fact]
    public void Clear_Fixed_IsNotFixedAnyMore()
    {
        OptimumWatch watch = Fixed(1);
        watch.IsFixed.ShouldBeTrue();
        watch.Clear();
        watch.IsFixed.ShouldBeFalse();
    }

    private static OptimumWatch Fixed(int samplesOutOfBand)
    {
        var watch = new OptimumWatch(0.2, samplesOutOfBand);
        watch.Fix(1000, 100, s_latency);
        return watch;
    }
}
