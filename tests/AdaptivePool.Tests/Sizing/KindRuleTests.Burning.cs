using AdaptivePool.Sizing;
using Shouldly;
using Xunit;

namespace AdaptivePool.Tests.Sizing;

public partial class KindRuleTests
{
    [Theory]
    [InlineData(0, true)]
    [InlineData(0.149, true)]
    [InlineData(0.15, false)]
    [InlineData(1, false)]
    [InlineData(double.NaN, false)]
    public void Burns_BlockedShare_Under15Percent(double share, bool burns)
    {
        Observe(share);

        _rule.Burns.ShouldBe(burns);
    }

    [Fact]
    public void Burns_SleepersThatWaitForACore_Not()
    {
        Observe(0.05);
        _rule.Burns.ShouldBeTrue();

        _class.SleepingShare = 0.9;
        Observe(0.05);
        _rule.Burns.ShouldBeFalse();

        Observe(double.NaN);
        _rule.Burns.ShouldBeFalse();
    }

    [Fact]
    public void Burns_BetweenTheShares_StaysWhatItWas()
    {
        Observe(0.2);
        _rule.Burns.ShouldBeFalse();
        Observe(0.1);
        Observe(0.2);
        _rule.Burns.ShouldBeTrue();
        Observe(0.26);
        _rule.Burns.ShouldBeFalse();
    }

    [Fact]
    public void Burns_UnknownShareOrNoWorkers_ChangesNothing()
    {
        Observe(0.1);
        Observe(double.NaN);
        _rule.Burns.ShouldBeTrue();

        _class.Active = 0;
        Observe(1);
        _rule.Burns.ShouldBeTrue();
    }

    [Fact]
    public void BurnsLasting_OneSecond_OnlyThen()
    {
        Observe(0);
        _class.Wait(0.9);
        Observe(0);
        _rule.BurnsLasting(TimeSpan.FromSeconds(_class.Now)).ShouldBeFalse();
        _class.Wait(0.2);
        Observe(0);
        _rule.BurnsLasting(TimeSpan.FromSeconds(_class.Now)).ShouldBeTrue();
        Observe(1);
        _rule.BurnsLasting(TimeSpan.FromSeconds(_class.Now)).ShouldBeFalse();
    }

    [Fact]
    public void Burns_MachineFull_OneBlockedReadingDoesNotEndIt()
    {
        _class.IdleCores = 0;
        Observe(0);
        Observe(0.9);
        _rule.Burns.ShouldBeTrue();

        _class.Wait(0.31);
        Observe(0.9);
        _rule.Burns.ShouldBeFalse();
    }

    [Fact]
    public void Burns_MachineFullButWorkersSleep_EndsAtOnce()
    {
        (_class.IdleCores, _class.SleepingShare) = (0, 1);
        Observe(0);

        Observe(0.9);

        _rule.Burns.ShouldBeFalse();
    }

    private void Observe(double share)
    {
        _class.BlockedShare = share;
        _rule.Observe(_class.Observation, _class.Machine);
    }
}
