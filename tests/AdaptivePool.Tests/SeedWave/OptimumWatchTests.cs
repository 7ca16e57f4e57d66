using AdaptivePool.Control;
using AdaptivePool.SeedWave;
using Shouldly;
using Xunit;

namespace AdaptivePool.Tests.SeedWave;

public sealed class OptimumWatchTests
{
    private static readonly TimeSpan s_latency = TimeSpan.FromMilliseconds(100);

    [Theory]
    [InlineData(1190, 100, 100, nameof(OptimumDeviation.None))]
    [InlineData(810, 120, 120, nameof(OptimumDeviation.None))]
    [InlineData(1210, 100, 100, nameof(OptimumDeviation.Throughput))]
    [InlineData(790, 100, 100, nameof(OptimumDeviation.Throughput))]
    [InlineData(1000, 121, 100, nameof(OptimumDeviation.Connections))]
    [InlineData(1000, 79, 100, nameof(OptimumDeviation.Connections))]
    [InlineData(1000, 100, 121, nameof(OptimumDeviation.Latency))]
    [InlineData(1000, 100, 79, nameof(OptimumDeviation.Latency))]
    public void Check_BandOfTwentyPercent_NamesWhatLeftIt(double throughput, int connections, int milliseconds, string expected)
        => Fixed(1).Check(throughput, connections, TimeSpan.FromMilliseconds(milliseconds)).ToString().ShouldBe(expected);

    [Fact]
    public void Check_SlowDrift_IsMeasuredFromTheEntry()
    {
        OptimumWatch watch = Fixed(1);
        for (double throughput = 1000; throughput <= 1200; throughput += 10)
        {
            watch.Check(throughput, 100, s_latency).ShouldBe(OptimumDeviation.None);
        }

        watch.Check(1201, 100, s_latency).ShouldBe(OptimumDeviation.Throughput);
    }

    [Fact]
    public void Check_SeveralSamplesWanted_CountsThemInARow()
    {
        OptimumWatch watch = Fixed(3);
        watch.Check(500, 100, s_latency).ShouldBe(OptimumDeviation.None);
        watch.Check(500, 100, s_latency).ShouldBe(OptimumDeviation.None);
        watch.Check(1000, 100, s_latency).ShouldBe(OptimumDeviation.None);
        watch.Check(500, 100, s_latency).ShouldBe(OptimumDeviation.None);
        watch.Check(500, 100, s_latency).ShouldBe(OptimumDeviation.None);
        watch.Check(500, 100, s_latency).ShouldBe(OptimumDeviation.Throughput);
    }

    [Fact]
    public void Check_NotKnownOrNotMeasured_IsNotWatched()
    {
        OptimumWatch watch = Fixed(1);
        watch.Check(1000, null, TimeSpan.Zero).ShouldBe(OptimumDeviation.None);
        watch.Fix(1000, null, TimeSpan.Zero);
        watch.Check(1000, 5, TimeSpan.FromHours(1)).ShouldBe(OptimumDeviation.None);
    }

    [Fact]
    public void Check_NothingCompletedAtEntry_AnythingIsAChange()
    {
        var watch = new OptimumWatch(0.2, 1);
        watch.Fix(0, null, TimeSpan.Zero);
        watch.Check(0, null, TimeSpan.Zero).ShouldBe(OptimumDeviation.None);
        watch.Check(1, null, TimeSpan.Zero).ShouldBe(OptimumDeviation.Throughput);
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
