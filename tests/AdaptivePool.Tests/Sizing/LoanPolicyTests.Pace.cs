using AdaptivePool.Sizing;
using Shouldly;
using Xunit;

namespace AdaptivePool.Tests.Sizing;

public partial class LoanPolicyTests
{
    [Fact]
    public void Observe_SleepersOnceTheLoanIsOpen_DoubleTwiceAsFast()
    {
        _class.SleepingShare = 0.8;
        Lend(Tick(0.0055)).ShouldBe(0, "the first step waits for the whole stall time");
        Lend(Tick(0.0055)).ShouldBe(4);
        int[] sizes = [.. Enumerable.Range(0, 5).Select(_ => Lend(Tick(0.0055)))];

        sizes.ShouldBe([8, 16, 32, 64, 128]);
    }

    [Theory]
    [InlineData(0.5, 64)]
    [InlineData(0.49, 8)]
    public void Observe_PartOfTheWorkersSleep_HalfIsEnoughToPassTheCap(double sleeping, int size)
    {
        _class.SleepingShare = sleeping;
        for (int i = 0; i < 400 && _class.Limit < 64; i++)
        {
            Lend(Tick(0.003));
        }

        _class.Limit.ShouldBe(size);
    }

    [Theory]
    [InlineData(0.74, false)]
    [InlineData(0.75, true)]
    public void Observe_EpisodeOfPartlySleepingWorkers_RepaidUnlessMostSleep(double sleeping, bool verified)
    {
        _class.SleepingShare = sleeping;
        Lend(Tick(0.011));
        _class.EpisodeOver = true;

        (Tick(0.003).Action == LoanAction.Verify).ShouldBe(verified);
    }

    [Theory]
    [InlineData(1, 0.95, true)]
    [InlineData(1, double.NaN, true)]
    [InlineData(0.5, 0.95, true)]
    [InlineData(1, 0.5, false)]
    [InlineData(0.4, 0.95, false)]
    public void Observe_OtherThreadsOfTheProcessFillTheCpu_SleepersAreLentToAllTheSame(double sleeping, double blocked, bool lends)
    {
        (_class.OwnCores, _class.IdleCores, _class.SleepingShare, _class.BlockedShare) = (2, 0, sleeping, blocked);

        (Tick(0.011).Action == LoanAction.Lend).ShouldBe(lends);
    }

    [Theory]
    [InlineData(0.002)]
    [InlineData(0.25)]
    public void Observe_FixedStallLimit_ReplacesTheMeasuredOne(double limit)
    {
        _class.LongServiceSeconds = 0.05;
        LoanPolicy policy = new(_settings with { StallLimit = TimeSpan.FromSeconds(limit) });
        policy.Observe(_class.Observation, _class.Machine, 2, 2, cold: true, mayGrow: true);

        _class.Wait(0.9 * limit);
        policy.Observe(_class.Observation, _class.Machine, 2, 2, cold: true, mayGrow: true).Action.ShouldBe(LoanAction.None);
        _class.Wait(0.2 * limit);
        policy.Observe(_class.Observation, _class.Machine, 2, 2, cold: true, mayGrow: true).Action.ShouldBe(LoanAction.Lend);
    }
}
