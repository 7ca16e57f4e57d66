using AdaptivePool.Sizing;
using Shouldly;
using Xunit;

namespace AdaptivePool.Tests.Sizing;

/// <remarks>LoanPolicyTests.Pace: how fast loans to sleepers grow, and what is no stall.</remarks>
public partial class LoanPolicyTests
{
    private readonly ClassSizeSettings _settings = new() { Cores = 2, MaxLimit = 2_000 };
    private readonly ScriptedClass _class = new();
    private readonly LoanPolicy _policy;

    public LoanPolicyTests()
    {
        _policy = new(_settings);
        Tick(0);
    }

    [Fact]
    public void Observe_NothingCompletesForTenMs_LendsAndBeginsAnEpisode()
    {
        Tick(0.009).Action.ShouldBe(LoanAction.None);

        LoanStep step = Tick(0.002);

        step.ShouldBe(new LoanStep(LoanAction.Lend, 4, BeginEpisode: true));
        _policy.Active.ShouldBeTrue();
    }

    [Fact]
    public void Observe_LongServiceTime_WaitsTwiceAsLong()
    {
        _class.LongServiceSeconds = 0.5;

        Tick(0.4).Action.ShouldBe(LoanAction.None);
        Tick(0.4).Action.ShouldBe(LoanAction.None);
        Tick(0.19).Action.ShouldBe(LoanAction.None);
        Tick(0.02).Action.ShouldBe(LoanAction.Lend);
    }

    [Theory]
    [InlineData(1.2, 0.8)]
    [InlineData(2, 0)]
    public void Observe_OwnCpuBusy_NeverLends(double own, double idle)
    {
        (_class.OwnCores, _class.IdleCores) = (own, idle);

        for (int i = 0; i < 50; i++)
        {
            Tick(0.2).Action.ShouldBe(LoanAction.None);
        }
    }

    [Fact]
    public void Observe_OnlyOthersBusy_TenTimesTheWait()
    {
        (_class.OwnCores, _class.IdleCores) = (0.1, 0.3);

        Tick(0.09).Action.ShouldBe(LoanAction.None);
        Tick(0.02).Action.ShouldBe(LoanAction.Lend);
    }

    [Theory]
    [InlineData(0.9, true)]
    [InlineData(double.NaN, true)]
    [InlineData(0.5, false)]
    public void Observe_OnlyOthersBusyButWorkersSleep_NoLongerWaitUnlessTheyWaitForCores(double blocked, bool lends)
    {
        (_class.OwnCores, _class.IdleCores, _class.SleepingShare, _class.BlockedShare) = (0.1, 0, 1, blocked);

        (Tick(0.011).Action == LoanAction.Lend).ShouldBe(lends);
    }

    [Theory]
    [InlineData(double.NaN)]
    [InlineData(0.3)]
    public void Observe_OnlyOthersBusyAndNoProofOfBlocking_NeverLends(double blocked)
    {
        (_class.OwnCores, _class.IdleCores, _class.BlockedShare) = (0.5, 0, blocked);

        for (int i = 0; i < 50; i++)
        {
            Tick(0.2).Action.ShouldBe(LoanAction.None);
        }
    }

    [Fact]
    public void Observe_OtherClassBurnsTheCpu_CountsAsOthers()
    {
        (_class.OwnCores, _class.IdleCores, _class.CpuShare) = (2, 0, 0.1);

        Tick(0.09).Action.ShouldBe(LoanAction.None);
        Tick(0.02).Action.ShouldBe(LoanAction.Lend);
    }

    [Fact]
    public void Observe_MachineUnknown_SleepersAtOnceOthersTenTimesTheWait()
    {
        _class.MachineKnown = false;
        Tick(0.09).Action.ShouldBe(LoanAction.None);

        _class.SleepingShare = 1;
        Tick(0).Action.ShouldBe(LoanAction.Lend);
    }

    [Fact]
    public void Observe_PoolSlept_TheStallBeginsAtTheFirstTick()
    {
        (_class.Queued, _class.Active) = (0, 0);
        Tick(0.003);
        (_class.Queued, _class.Active) = (100, null);

        Tick(3_600).Action.ShouldBe(LoanAction.None);
        Tick(0.009).Action.ShouldBe(LoanAction.None);
        Tick(0.002).Action.ShouldBe(LoanAction.Lend);
    }

    [Theory]
    [InlineData(0, 2)]
    [InlineData(5, 1)]
    public void Observe_NothingQueuedOrWorkersFree_NoStall(int queued, int active)
    {
        (_class.Queued, _class.Active) = (queued, active);

        for (int i = 0; i < 50; i++)
        {
            Tick(0.2).Action.ShouldBe(LoanAction.None);
        }
    }

    [Fact]
    public void Observe_Hog_NeverLends()
    {
        _class.Wait(0.4);

        _policy.Observe(_class.Observation, _class.Machine, 2, 2, cold: true, mayGrow: false).Action.ShouldBe(LoanAction.None);
    }

    [Fact]
    public void Observe_HeldDownByThePool_AsksNoMore()
    {
        _class.Wait(0.4);

        _policy.Observe(_class.Observation, _class.Machine, wanted: 4, 2, cold: true, mayGrow: true).Action.ShouldBe(LoanAction.None);
    }

    [Fact]
    public void Observe_Sleepers_DoubleEachStallTime()
    {
        _class.SleepingShare = 0.8;
        int[] sizes = [.. Enumerable.Range(0, 8).Select(_ => Lend(Tick(0.0105)))];

        sizes.ShouldBe([4, 8, 16, 32, 64, 128, 256, 512]);
    }

    [Fact]
    public void Observe_SeenToWaitForTasks_DoublesTwiceAsFast()
    {
        (_class.SleepingShare, _class.TaskWaitShare) = (1, 1);
        int[] sizes = [.. Enumerable.Range(0, 7).Select(_ => Lend(Tick(0.0055)))];

        sizes.ShouldBe([4, 8, 16, 32, 64, 128, 256]);
    }

    [Fact]
    public void Observe_SeenToWaitForTasks_CompletionsOfLongItemsDoNotSlowTheLoan()
    {
        (_class.SleepingShare, _class.TaskWaitShare) = (1, 1);
        Lend(Tick(0.0055));
        (_class.Completed, _class.LongServiceSeconds) = (1, 0.06);
        Lend(Tick(0.001));

        Lend(Tick(0.0055)).ShouldBe(8);
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
        Tick(0.001);

        (Tick(0.0055).Action == LoanAction.Lend).ShouldBe(lends);
    }

    [Fact]
    public void Observe_SleepersOnACoarseTick_StepsStayOnTheGrid()
    {
        _class.SleepingShare = 1;
        int steps = 0;
        for (int i = 0; i < 30; i++)
        {
            steps += Lend(Tick(0.003)) > 0 ? 1 : 0;
        }

        // 90 ms hold nine stall times of 10 ms; re-armed at each tick only seven would fit.
        steps.ShouldBeGreaterThanOrEqualTo(8);
    }

    [Fact]
    public void Observe_Sleepers_NeverMoreThanRunOrWait()
    {
        (_class.SleepingShare, _class.Queued) = (1, 1);

        Lend(Tick(0.011)).ShouldBe(3);
    }

    [Fact]
    public void Observe_Others_DoubleWithTheAgeOfTheEpisode()
    {
        List<double> times = [];
        for (int i = 0; i < 1_000; i++)
        {
            if (Lend(Tick(0.001)) > 0)
            {
                times.Add(_class.Now);
            }
        }

        times.Count.ShouldBe(2);
        (times[1] / times[0]).ShouldBe(2, 0.15);
        _class.Limit.ShouldBe(8);
    }

    [Fact]
    public void Observe_OthersWarm_CapIsEightTimesVerified()
    {
        for (int i = 0; i < 3_000; i++)
        {
            _class.Wait(0.002);
            Lend(_policy.Observe(_class.Observation, _class.Machine, _class.Limit, 5, cold: false, mayGrow: true));
        }

        _class.Limit.ShouldBe(40);
    }

    [Fact]
    public void Observe_NothingAtAllForALongTime_CapRises()
    {
        for (int i = 0; i < 20_000; i++)
        {
            Lend(Tick(0.004));
        }

        _class.Limit.ShouldBeGreaterThan(8);
    }

    [Fact]
    public void Observe_EpisodeOver_OthersRepay()
    {
        Lend(Tick(0.011));
        Tick(0.003).Action.ShouldBe(LoanAction.None);
        _class.EpisodeOver = true;

        Tick(0.003).Action.ShouldBe(LoanAction.Repay);

        _policy.Active.ShouldBeFalse();
    }

    [Fact]
    public void Observe_EpisodeOver_SleepersAreVerified()
    {
        _class.SleepingShare = 1;
        Lend(Tick(0.011));
        _class.EpisodeOver = true;

        Tick(0.003).Action.ShouldBe(LoanAction.Verify);
    }

    [Fact]
    public void Observe_SingleCompletion_DoesNotEndTheEpisode()
    {
        Lend(Tick(0.011));
        _class.Completed++;

        Tick(0.003).Action.ShouldBe(LoanAction.None);

        _policy.Active.ShouldBeTrue();
    }

    [Fact]
    public void Observe_OldestNeverEndsButGenerationsPass_EpisodeEnds()
    {
        Lend(Tick(0.011));
        _class.Completed += 100;
        Tick(1).Action.ShouldNotBe(LoanAction.Repay);

        _class.Completed += 100;
        Tick(1.5).Action.ShouldBe(LoanAction.Repay);
    }

    [Fact]
    public void Observe_SleepersNeverEndButGenerationsPass_RepaidBecauseTheyWouldBeMeasuredToo()
    {
        _class.SleepingShare = 1;
        Lend(Tick(0.011));
        for (int i = 0; i < 200; i++)
        {
            _class.Completed++;
            Tick(0.01).Action.ShouldBe(LoanAction.None, "until everything that still blocks counts as stuck");
        }

        for (int i = 0; i < 60; i++)
        {
            _class.Completed++;
            if (Tick(0.01).Action == LoanAction.Repay)
            {
                return;
            }
        }

        Assert.Fail("the episode never ends");
    }

    [Fact]
    public void Observe_InFlightClass_DoublesLikeSleepers()
    {
        LoanPolicy policy = new(_settings with { InFlight = true });
        policy.Observe(_class.Observation, _class.Machine, 2, 2, cold: true, mayGrow: true);
        for (int i = 0; i < 6; i++)
        {
            _class.Wait(0.0105);
            Lend(policy.Observe(_class.Observation, _class.Machine, _class.Limit, 2, cold: true, mayGrow: true));
        }

        _class.Limit.ShouldBe(128);
    }

    private LoanStep Tick(double seconds)
    {
        _class.Wait(seconds);
        return _policy.Observe(_class.Observation, _class.Machine, _class.Limit, 2, cold: true, mayGrow: true);
    }

    private int Lend(LoanStep step)
    {
        if (step.Action == LoanAction.Lend)
        {
            _class.Adopt(step.Limit);
        }

        return step.Limit;
    }
}
