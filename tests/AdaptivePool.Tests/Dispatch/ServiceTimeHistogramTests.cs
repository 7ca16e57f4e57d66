using AdaptivePool.Dispatch;

namespace AdaptivePool.Tests.Dispatch;

public sealed class ServiceTimeHistogramTests
{
    /// <summary>A bucket is a quarter of an octave wide, and the answer is its upper edge.</summary>
    private static readonly double s_bucketRatio = Math.Pow(2, 0.25);

    [Fact]
    public void Percentile_Empty_IsZero() => new ServiceTimeHistogram().Percentile(0.99).ShouldBe(0);

    [Theory]
    [InlineData(0.001)]
    [InlineData(0.020)]
    [InlineData(1.0)]
    [InlineData(30.0)]
    public void Percentile_OneKindOfItem_IsItsTime(double seconds)
    {
        var histogram = new ServiceTimeHistogram();
        for (int i = 0; i < 100; i++)
        {
            histogram.Add(seconds);
        }

        histogram.Percentile(0.99).ShouldBeInRange(seconds, seconds * s_bucketRatio * 1.001);
    }

    [Fact]
    public void Percentile_FewLongItemsAmongManyShort_IsWeightedByTime()
    {
        var histogram = new ServiceTimeHistogram();
        for (int i = 0; i < 800; i++)
        {
            histogram.Add(0.002);
        }

        for (int i = 0; i < 8; i++)
        {
            histogram.Add(1.0);
        }

        // By count the eight connects are the last percent; by time they are five sixths of all.
        histogram.Percentile(0.5).ShouldBeGreaterThanOrEqualTo(1.0);
        histogram.Percentile(0.1).ShouldBeLessThan(0.01);
    }

    [Fact]
    public void Mean_FewLongItemsAmongManyShort_IsByCount()
    {
        var histogram = new ServiceTimeHistogram();
        histogram.Mean().ShouldBe(0);
        for (int i = 0; i < 900; i++)
        {
            histogram.Add(0.001);
        }

        for (int i = 0; i < 100; i++)
        {
            histogram.Add(1.0);
        }

        histogram.Mean().ShouldBeInRange(0.1, 0.101 * s_bucketRatio);
    }

    // One item in a million that had taken a minute was what was known of a class after a night, and how long nothing must complete follows from that.
    [Fact]
    public void Decay_ForAWholeNight_ALongItemAmongManyDoesNotOutliveThem()
    {
        var histogram = new ServiceTimeHistogram();
        for (int i = 0; i < 100_000; i++)
        {
            histogram.Add(0.005);
        }

        histogram.Add(4);
        for (int minute = 0; minute < 60; minute++)
        {
            histogram.Percentile(0.99).ShouldBeLessThan(0.01, $"after {minute} minutes");
            histogram.Decay();
        }
    }

    [Fact]
    public void Percentile_ExactlyTheShareOfTheShorterItems_IsTheirTime()
    {
        var histogram = new ServiceTimeHistogram();
        histogram.Add(1.0);
        histogram.Add(0.5);
        histogram.Add(0.5);
        histogram.Percentile(0.5).ShouldBeInRange(0.5, 0.5 * s_bucketRatio * 1.001);
        histogram.Percentile(0.51).ShouldBeInRange(1.0, s_bucketRatio * 1.001);
    }

    [Fact]
    public void Percentile_GrowingShare_NeverFalls()
    {
        var histogram = new ServiceTimeHistogram();
        for (int i = 1; i <= 500; i++)
        {
            histogram.Add(i * 0.001);
        }

        double before = 0;
        for (double share = 0; share <= 1; share += 0.05)
        {
            double now = histogram.Percentile(share);
            now.ShouldBeGreaterThanOrEqualTo(before);
            before = now;
        }
    }

    [Fact]
    public void Decay_OldLongItems_LoseAgainstNewOnes()
    {
        var histogram = new ServiceTimeHistogram();
        histogram.Add(1.0);
        for (int i = 0; i < 20; i++)
        {
            histogram.Decay();
        }

        for (int i = 0; i < 1_000; i++)
        {
            histogram.Add(0.002);
        }

        histogram.Percentile(0.9).ShouldBeLessThan(0.01);
    }

    [Fact]
    public void Add_FarOutOfRange_IsKeptInTheLastBucket()
    {
        var histogram = new ServiceTimeHistogram();
        histogram.Add(1e7);
        histogram.Add(1e-9);
        histogram.Percentile(0.99).ShouldBeGreaterThan(100);
    }
}
