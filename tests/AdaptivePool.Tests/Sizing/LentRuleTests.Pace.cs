using AdaptivePool.Sizing;
using Shouldly;
using Xunit;

namespace AdaptivePool.Tests.Sizing;

public partial class LentRuleTests
{
    [Fact]
    public void Observe_Sleepers_Double()
    {
        _class.SleepingShare = 0.8;
        int[] sizes = [.. Enumerable.Range(0, 8).Select(_ => 2 + Tick(0.0105))];

        sizes.ShouldBe([4, 8, 16, 32, 64, 128, 256, 512]);
    }

    [Fact]
    public void Observe_SleepersOnceTheStallIsOpen_DoubleTwiceAsFast()
    {
        _class.SleepingShare = 0.8;
        Tick(0.0055).ShouldBe(0, "the first step waits for the whole stall time");
        Tick(0.0055).ShouldBe(2);
        int[] sizes = [.. Enumerable.Range(0, 5).Select(_ => 2 + Tick(0.0055))];

        sizes.ShouldBe([8, 16, 32, 64, 128]);
    }

    [Theory]
    [InlineData(1, 256)]
    [InlineData(0.75, 256)]
    [InlineData(0.7, 4)]
    public void Observe_SleepersOfAClassWithLongItems_OnlyTheFirstStepWaitsForThose(double sleeping, int size)
    {
        HasCompleted(1);
        (_class.SleepingShare, _class.LongServiceSeconds) = (sleeping, 0.05);
        for (int i = 0; i < 20; i++)
        {
            Tick(0.0052).ShouldBe(i == 19 ? 2 : 0, "nothing has completed for twice the long service time");
        }

        for (int i = 0; i < 6; i++)
        {
            Tick(0.0055);
        }

        _class.Limit.ShouldBe(size);
    }

    [Theory]
    [InlineData(1, 20, 0.05)]
    [InlineData(1, 1, 2)]
    [InlineData(0.7, 20, 2)]
    public void Observe_ShortItemsHavePassedTheLongOnes_WaitsTwiceTheMean(double sleeping, int passed, double seconds)
    {
        (_class.SleepingShare, _class.LongServiceSeconds, _class.MeanServiceSeconds) = (sleeping, 1, 0.025);
        Hold();
        Tick(0.01);
        _class.Completed = passed;
        Tick(0.01);

        int ticks = 1;
        while (Tick(0.01) == 0 && ticks < 500)
        {
            ticks++;
        }

        (ticks * 0.01).ShouldBe(seconds, 0.011);
    }

    [Fact]
    public void Observe_SeenToWaitForTasks_DoublesTwiceAsFastFromTheStart()
    {
        (_class.SleepingShare, _class.TaskWaitShare) = (1, 1);
        int[] sizes = [.. Enumerable.Range(0, 7).Select(_ => 2 + Tick(0.0055))];

        sizes.ShouldBe([4, 8, 16, 32, 64, 128, 256]);
    }

    [Fact]
    public void Observe_SeenToWaitForTasks_CompletionsOfLongItemsDoNotSlowTheStep()
    {
        (_class.SleepingShare, _class.TaskWaitShare) = (1, 1);
        Tick(0.0055).ShouldBe(2);
        Hold();
        (_class.Completed, _class.LongServiceSeconds) = (1, 0.06);
        Tick(0.001).ShouldBe(2);

        Tick(0.0055).ShouldBe(6);
    }

    [Theory]
    [InlineData(2, true)]
    [InlineData(4, true)]
    [InlineData(8, false)]
    public void Observe_SeenToWaitForTasksWhileTheProcessCompiles_SmallSizesOnly(int limit, bool lends)
    {
        (_class.SleepingShare, _class.TaskWaitShare) = (1, 1);
        (_class.OwnCores, _class.IdleCores) = (1.3, 0.7);
        _class.Limit = limit;
        _class.Wait(0.0055);

        _rule.Observe(_class.Observation, _class.Machine, limit, limit, isCold: false, mayGrow: true);

        _rule.IsOpen.ShouldBe(lends);
    }

    [Fact]
    public void Observe_SleepersOnACoarseTick_StepsStayOnTheGrid()
    {
        (_class.SleepingShare, _class.Queued) = (1, 100_000);
        LentRule rule = new(_settings with { MaxLimit = 32_767, StallLimit = TimeSpan.FromMilliseconds(10) });
        int steps = 0;
        for (int i = 0; i < 30; i++)
        {
            _class.Wait(0.003);
            int before = rule.Threads;
            rule.Observe(_class.Observation, _class.Machine, 2, 2, isCold: true, mayGrow: true);
            _class.Adopt(2 + rule.Threads);
            steps += rule.Threads > before ? 1 : 0;
        }

        // 90 ms hold nine stall times of 10 ms; re-armed at each tick only seven would fit.
        steps.ShouldBeGreaterThanOrEqualTo(8);
    }

    [Fact]
    public void Observe_Sleepers_NoMoreThanRunOrWaitUnlessTheQueueIsShort()
    {
        (_class.SleepingShare, _class.Queued) = (1, 1);
        Tick(0.011).ShouldBe(2);

        _class.Queued = 3;
        Tick(0.006).ShouldBe(5);
    }

    [Fact]
    public void Observe_ThreadsStillStart_ThreeQuartersAreEnoughForTheNextStep()
    {
        _class.SleepingShare = 1;
        Tick(0.011).ShouldBe(2);
        _class.Active = 2;
        Tick(0.006).ShouldBe(2);

        _class.Active = 3;
        Tick(0.001).ShouldBe(6);
    }

    [Fact]
    public void Observe_Others_StepsDoubleWithTheTimeInWhichNothingCompletes()
    {
        List<double> times = [];
        for (int i = 0, before = 0; i < 1_000; i++)
        {
            int now = Tick(0.001);
            if (now > before)
            {
                times.Add(_class.Now);
            }

            before = now;
        }

        times.Count.ShouldBe(2);
        (times[1] / times[0]).ShouldBe(2, 0.15);
        _class.Limit.ShouldBe(8, "four times the cores while nothing is verified");
    }

    [Fact]
    public void Observe_OthersWarm_BoundIsEightTimesTheKeptSize()
    {
        for (int i = 0; i < 3_000; i++)
        {
            _class.Wait(0.002);
            _rule.Observe(_class.Observation, _class.Machine, 2, kept: 5, isCold: false, mayGrow: true);
            _class.Adopt(2 + _rule.Threads);
        }

        _class.Limit.ShouldBe(40);
    }

    [Fact]
    public void Observe_NothingAtAllForALongTime_BoundRises()
    {
        for (int i = 0; i < 20_000; i++)
        {
            Tick(0.004);
        }

        _class.Limit.ShouldBeGreaterThan(8);
    }

    [Theory]
    [InlineData(0.5, 64)]
    [InlineData(0.49, 8)]
    public void Observe_PartOfTheWorkersSleep_HalfIsEnoughToPassTheBound(double sleeping, int size)
    {
        HasCompleted(1);
        _class.SleepingShare = sleeping;
        for (int i = 0; i < 400 && _class.Limit < 64; i++)
        {
            Tick(0.003);
        }

        _class.Limit.ShouldBe(size);
    }

    [Theory]
    [InlineData(1, 0.95, true)]
    [InlineData(1, double.NaN, true)]
    [InlineData(0.5, 0.95, true)]
    [InlineData(1, 0.5, false)]
    [InlineData(0.4, 0.95, false)]
    public void Observe_OtherThreadsOfTheProcessFillTheCpu_LentToSleepersAllTheSame(double sleeping, double blocked, bool lends)
    {
        HasCompleted(1);
        (_class.OwnCores, _class.IdleCores, _class.SleepingShare, _class.BlockedShare) = (2, 0, sleeping, blocked);

        (Tick(0.011) > 0).ShouldBe(lends);
    }

    // Before its first item has ended, a class that loads a driver and connects stands in locks for a moment: most of its workers, and not for long.
    [Theory]
    [InlineData(1, 1, 64)]
    [InlineData(0.75, 0.95, 64)]
    [InlineData(1, double.NaN, 64)]
    [InlineData(1, 0.91, 8)]
    [InlineData(0.7, 1, 8)]
    public void Observe_NothingHasEverCompleted_OnlyWhoSleepsFromTheStartPassesTheBound(double sleeping, double blocked, int size)
    {
        (_class.SleepingShare, _class.BlockedShare) = (sleeping, blocked);
        for (int i = 0; i < 400 && _class.Limit < 64; i++)
        {
            Tick(0.003);
        }

        _class.Limit.ShouldBe(size);
    }

    [Theory]
    [InlineData(1, true)]
    [InlineData(0, false)]
    public void Observe_InFlightWhileOtherThreadsFillTheCpu_LentToThoseThatAreSeenToSleep(double sleeping, bool lends)
    {
        LentRule rule = new(_settings with { InFlight = true });
        rule.Observe(_class.Observation, _class.Machine, 2, 2, isCold: true, mayGrow: true);
        (_class.OwnCores, _class.IdleCores, _class.SleepingShare) = (2, 0, sleeping);
        _class.Wait(0.4);

        rule.Observe(_class.Observation, _class.Machine, 2, 2, isCold: true, mayGrow: true);

        rule.IsOpen.ShouldBe(lends);
    }

    [Theory]
    [InlineData(0.002)]
    [InlineData(0.25)]
    public void Observe_FixedStallLimit_ReplacesTheMeasuredOne(double limit)
    {
        _class.LongServiceSeconds = 0.05;
        LentRule rule = new(_settings with { StallLimit = TimeSpan.FromSeconds(limit) });
        rule.Observe(_class.Observation, _class.Machine, 2, 2, isCold: true, mayGrow: true);

        _class.Wait(0.9 * limit);
        rule.Observe(_class.Observation, _class.Machine, 2, 2, isCold: true, mayGrow: true);
        rule.IsOpen.ShouldBeFalse();
        _class.Wait(0.2 * limit);
        rule.Observe(_class.Observation, _class.Machine, 2, 2, isCold: true, mayGrow: true);
        rule.IsOpen.ShouldBeTrue();
    }

    [Fact]
    public void Observe_InFlightClass_DoublesLikeSleepers()
    {
        LentRule rule = new(_settings with { InFlight = true });
        rule.Observe(_class.Observation, _class.Machine, 2, 2, isCold: true, mayGrow: true);
        for (int i = 0; i < 6; i++)
        {
            _class.Wait(0.0105);
            rule.Observe(_class.Observation, _class.Machine, 2, 2, isCold: true, mayGrow: true);
            _class.Adopt(2 + rule.Threads);
        }

        _class.Limit.ShouldBe(128);
    }
}
