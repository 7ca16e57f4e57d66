using AdaptivePool.Diagnostics;

namespace AdaptivePool.Tests.Diagnostics;

/// <summary>Ages and waits from counts alone.</summary>
public sealed class LaneClockTests
{
    private const double Tick = 0.01;

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(3)]
    public void Look_AnyArrivals_AgesAreExactToALook(int seed)
    {
        var random = new Random(seed);
        var clock = new LaneClock();
        List<double> arrivals = [];
        int taken = 0;
        for (int tick = 1; tick <= 500; tick++)
        {
            double now = tick * Tick;
            arrivals.AddRange(Enumerable.Range(0, random.Next(5)).Select(_ => now - (Tick * random.NextDouble())).Order());
            taken += random.Next(Math.Min(4, arrivals.Count - taken + 1));
            clock.Look(now, arrivals.Count - taken, unchecked(int.MaxValue - 100 + taken));
            for (int item = taken; item < arrivals.Count; item++)
            {
                // Where looks have been put together the oldest of them counts.
                double age = clock.AgeOf(item - taken, now).ShouldNotBeNull();
                age.ShouldBeInRange(now - arrivals[item] - Tick, now - arrivals[item] + (0.1 * now), $"item {item} at {now} s");
            }

            clock.AgeOf(arrivals.Count - taken, now).ShouldBeNull();
        }
    }

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    public void Histogram_AnyWaits_HasAllOfThemAndTheirPercentiles(int seed)
    {
        var random = new Random(seed);
        var clock = new LaneClock();
        (int came, int taken) = (0, 0);
        clock.Look(0, came, taken);
        for (int tick = 1; tick <= 500; tick++)
        {
            came += random.Next(5);
            taken += random.Next(came - taken + 1);
            clock.Look(tick * Tick, came - taken, taken);
        }

        List<KeyValuePair<TimeSpan, double>> histogram = [.. clock.Histogram];
        histogram.Select(static it => it.Key).ShouldBeInOrder(SortDirection.Ascending);
        histogram.Sum(static it => it.Value).ShouldBe(taken);
        foreach (double share in new[] { 0.1, 0.5, 0.9, 0.99 })
        {
            double below = 0;
            TimeSpan expected = histogram.First(it => (below += it.Value) > (share * taken) - 1e-9).Key;
            clock.Percentile(share).ShouldBe(expected.TotalSeconds, 1e-6);
        }
    }

    [Fact]
    public void Percentile_EachWaitsASecond_SaysSo()
    {
        var clock = new LaneClock();
        for (int tick = 1; tick <= 500; tick++)
        {
            clock.Look(tick * Tick, Math.Min(tick, 100), Math.Max(0, tick - 100));
        }

        clock.Percentile(0.5).ShouldBeInRange(1.0, 1.2);
        clock.Percentile(0.99).ShouldBeInRange(1.0, 1.2);
    }

    [Fact]
    public void Percentile_CameAndWentBetweenLooks_IsZero()
    {
        var clock = new LaneClock();
        clock.Look(0, 0, 0);
        clock.Look(1, 0, 1_000);

        clock.IsUsed.ShouldBeTrue();
        clock.Percentile(0.99).ShouldBe(0);
    }

    [Fact]
    public void Percentile_OneOfTenWaits_HalfDoNot()
    {
        var clock = new LaneClock();
        clock.Look(0, 10, 0);
        clock.Look(2, 0, 100);

        clock.Percentile(0.5).ShouldBe(0);
        clock.Percentile(0.99).ShouldBeInRange(2.0, 2.4);
    }

    [Fact]
    public void Look_TakersCountLate_WhatHasLeftIsTaken()
    {
        var clock = new LaneClock();
        clock.Look(0, 40, 0);
        clock.Look(1, 10, 0);

        clock.AgeOf(0, 1).ShouldBe(1);
        clock.Percentile(0.99).ShouldBeGreaterThan(0.5);
    }

    [Fact]
    public void Look_OldWaits_WeighLess()
    {
        var clock = new LaneClock();
        clock.Look(0, 100, 0);
        clock.Look(1, 0, 100);
        clock.Look(1 + (8 * 60), 0, 200);

        clock.Percentile(0.99).ShouldBe(0);
    }

    [Fact]
    public void Reset_WaitsAreForgottenAndAgesAreNot()
    {
        var clock = new LaneClock();
        clock.Look(0, 2, 0);
        clock.Look(1, 1, 1);
        clock.Reset();

        clock.Percentile(0.99).ShouldBe(0);
        clock.AgeOf(0, 1).ShouldBe(1);
    }
}
