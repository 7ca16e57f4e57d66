using AdaptivePool.Dispatch.Queues;
using FsCheck;
using FsCheck.Fluent;

namespace AdaptivePool.Tests.Dispatch.Queues;

/// <summary>Ages and waits from counts alone.</summary>
public sealed class QueueClockTests
{
    private const double Tick = 0.01;
    private readonly QueueClock _clock = new();

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(3)]
    public void AgeOf_AnyArrivals_IsExactToALook(int seed)
    {
        var random = new Random(seed);
        List<double> arrivals = [];
        int taken = 0;
        _clock.Recount(int.MaxValue - 100);
        for (int tick = 1; tick <= 3_000; tick++)
        {
            double now = tick * Tick;
            arrivals.AddRange(Enumerable.Range(0, random.Next(5)).Select(_ => now - (Tick * random.NextDouble())).Order());
            taken += random.Next(Math.Min(4, arrivals.Count - taken + 1));
            _clock.Look(now, arrivals.Count - taken, unchecked(int.MaxValue - 100 + taken));
            for (int item = taken; item < arrivals.Count; item += 1 + random.Next(50))
            {
                double age = _clock.AgeOf(item - taken, now).ShouldNotBeNull();
                double waited = now - arrivals[item];
                age.ShouldBeInRange(waited - Tick, (waited * (1 + QueueClock.Exactness)) + 1e-9, $"item {item} at {now} s");
            }

            _clock.AgeOf(arrivals.Count - taken, now).ShouldBeNull();
        }
    }

    [Fact]
    public void Look_ALongQueueForHours_KeepsFewLooks()
    {
        for (int tick = 1; tick <= 100_000; tick++)
        {
            _clock.Look(tick * Tick, tick, 0);
        }

        _clock.Looks.ShouldBeLessThan(2_000, "they grow with the logarithm of the age");
        _clock.AgeOf(0, 100_000 * Tick).ShouldNotBeNull().ShouldBeInRange(990, 1_040);
    }

    [Fact]
    public void Look_AHalfLifeLater_AWaitWeighsHalf()
    {
        _clock.Look(0, 1, 0);
        _clock.Look(1, 0, 1);
        _clock.Histogram.ShouldHaveSingleItem().Value.ShouldBe(1);

        _clock.Look(61, 0, 1);
        _clock.Histogram.ShouldHaveSingleItem().Value.ShouldBe(0.5);

        _clock.Look(181, 0, 1);
        _clock.Histogram.ShouldHaveSingleItem().Value.ShouldBe(0.125);
    }

    [Fact]
    public void CountFrom_AnyArrivals_EachIsDueAfterTheTimeAndATickAtMost() =>
        Prop.ForAll<int>(seed =>
        {
            var random = new Random(seed);
            var clock = new QueueClock();
            List<double> arrivals = [];
            int taken = 0;
            for (int tick = 1; tick <= 400; tick++)
            {
                double now = tick * Tick;
                arrivals.AddRange(Enumerable.Range(0, random.Next(4)).Select(_ => now - (Tick * random.NextDouble())).Order());
                clock.Look(now, arrivals.Count - taken, taken);
                int due = taken + clock.CountFrom(1, now);
                for (int item = taken; item < arrivals.Count; item++)
                {
                    double waited = now - arrivals[item];
                    (item < due || waited < 1 + (2 * Tick)).ShouldBeTrue($"item {item} waited {waited} s and is not due");
                    (item >= due || waited > 1 - QueueClock.Exactness - 1e-9).ShouldBeTrue($"item {item} is due after {waited} s");
                }

                taken += random.Next(Math.Min(3, arrivals.Count - taken + 1));
            }
        }).Check(Config.QuickThrowOnFailure.WithMaxTest(60));

    [Fact]
    public void NeededPerSecond_SomeCameLater_TheMostThatAnyDeadlineAsksFor()
    {
        _clock.NeededPerSecond(1, 0).ShouldBe(0);
        _clock.Look(0, 10, 0);
        _clock.Look(0.5, 100, 0);

        _clock.NeededPerSecond(1, 0.5).ShouldBe(100, 1e-9, "a hundred in the second that the last ones have");
        _clock.NeededPerSecond(1, 0.95).ShouldBe(200, 1e-9, "ten in a twentieth of a second");
        _clock.NeededPerSecond(1, 1).ShouldBe(double.PositiveInfinity);
    }

    [Fact]
    public void AgeOf_QueueEmptiedOnce_ForgetsThePast()
    {
        _clock.Look(0, 10, 0);
        _clock.AgeOf(0, 9).ShouldBe(9);
        _clock.Look(10, 0, 10);
        _clock.AgeOf(0, 10).ShouldBeNull();
        _clock.Look(11, 10, 10);
        _clock.AgeOf(0, 11).ShouldBe(0);
    }

    [Fact]
    public void Gone_SteadyQueue_MeanIsThatOfLittlesLaw()
    {
        // 20 wait, 100 are taken each second: each waits 0.2 s.
        for (int i = 0; i <= 500; i++)
        {
            _clock.Look(Tick * i, 20, i);
        }

        _clock.Gone.ShouldBe(500);
        (_clock.GoneSeconds / _clock.Gone).ShouldBe(0.2, 0.005);
        _clock.AgeOf(0, 5).ShouldNotBeNull().ShouldBe(0.2, 0.011);
    }

    [Fact]
    public void Look_TakersCountLate_WhatHasLeftIsTakenOnce()
    {
        _clock.Look(0, 40, 0);
        _clock.Look(1, 10, 0);
        _clock.AgeOf(0, 1).ShouldBe(1);
        _clock.Percentile(0.99).ShouldBeGreaterThan(0.5);

        _clock.Look(2, 10, 30);
        _clock.AgeOf(9, 2).ShouldBe(2, "those ten still wait");
        _clock.Gone.ShouldBe(30);
    }

    [Fact]
    public void Look_CountGoesBack_NothingIsTaken()
    {
        _clock.Look(0, 4, 10);
        _clock.Look(1, 4, 8);
        _clock.Look(2, 4, 10);
        (_clock.Gone, _clock.AgeOf(3, 2)).ShouldBe((10, 2));
    }

    [Fact]
    public void Recount_SomeWait_TheirAgesStay()
    {
        _clock.Look(0, 5, 1_000);
        _clock.Recount(0);
        _clock.Look(1, 4, 1);
        (_clock.AgeOf(3, 1), _clock.AgeOf(4, 1)).ShouldBe((1, null));
    }

    [Fact]
    public void Look_LongQueueThatMoves_CostsABoundedMemory()
    {
        // An hour: the queue of the last seconds is as well known as ever.
        int look = 0;
        void Look() => _clock.Look(0.003 * look, ++look, 0);
        while (look < 1_200_000)
        {
            Look();
        }

        _clock.AgeOf(0, 3_600).ShouldNotBeNull().ShouldBe(3_600, 0.1);
        _clock.AgeOf(look - 1_000, 3_600).ShouldNotBeNull().ShouldBeInRange(3, 3.1);
        Allocation.Of(Look).ShouldBe(0);
    }

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    public void Histogram_AnyWaits_HasAllOfThemAndTheirPercentiles(int seed)
    {
        var random = new Random(seed);
        (int came, int taken) = (0, 0);
        for (int tick = 1; tick <= 500; tick++)
        {
            came += random.Next(5);
            taken += random.Next(came - taken + 1);
            _clock.Look(tick * Tick, came - taken, taken);
        }

        List<KeyValuePair<TimeSpan, double>> histogram = [.. _clock.Histogram];
        histogram.Select(static it => it.Key).ShouldBeInOrder(SortDirection.Ascending);
        histogram.Sum(static it => it.Value).ShouldBe(taken);
        foreach (double share in new[] { 0.1, 0.5, 0.9, 0.99 })
        {
            double below = 0;
            TimeSpan expected = histogram.First(it => (below += it.Value) > (share * taken) - 1e-9).Key;
            _clock.Percentile(share).ShouldBe(expected.TotalSeconds, 1e-6);
        }
    }

    [Fact]
    public void Percentile_EachWaitsASecond_SaysSo()
    {
        for (int tick = 1; tick <= 500; tick++)
        {
            _clock.Look(tick * Tick, Math.Min(tick, 100), Math.Max(0, tick - 100));
        }

        _clock.Percentile(0.5).ShouldBeInRange(1.0, 1.2);
        _clock.Percentile(0.99).ShouldBeInRange(1.0, 1.2);
    }

    [Fact]
    public void Percentile_CameAndWentBetweenLooks_IsZero()
    {
        _clock.Look(0, 0, 0);
        _clock.IsUsed.ShouldBeFalse();
        _clock.Look(1, 0, 1_000);

        _clock.IsUsed.ShouldBeTrue();
        _clock.Percentile(0.99).ShouldBe(0);
    }

    [Fact]
    public void Percentile_OneOfTenWaits_HalfDoNot()
    {
        _clock.Look(0, 10, 0);
        _clock.Look(2, 0, 100);

        _clock.Percentile(0.5).ShouldBe(0);
        _clock.Percentile(0.99).ShouldBeInRange(2.0, 2.4);
    }

    [Fact]
    public void Look_OldWaits_WeighLess()
    {
        _clock.Look(0, 100, 0);
        _clock.Look(1, 0, 100);
        _clock.Look(1 + (8 * 60), 0, 200);

        _clock.Percentile(0.99).ShouldBe(0);
    }

    [Fact]
    public void Reset_WaitsAreForgottenAndAgesAreNot()
    {
        _clock.Look(0, 2, 0);
        _clock.Look(1, 1, 1);
        _clock.Reset();

        _clock.Percentile(0.99).ShouldBe(0);
        _clock.AgeOf(0, 1).ShouldBe(1);
    }
}
