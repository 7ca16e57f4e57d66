using AdaptivePool.Sizing;
using Shouldly;
using Xunit;

namespace AdaptivePool.Tests.Sizing;

public class HogRuleTests
{
    private readonly HogRule _rule = new(new ClassSizeSettings { Cores = 2 });
    private readonly ScriptedClass _class = new();

    [Theory]
    [InlineData(0, true)]
    [InlineData(0.149, true)]
    [InlineData(0.15, false)]
    [InlineData(1, false)]
    [InlineData(double.NaN, false)]
    public void Observe_BlockedShare_ActiveUnder15Percent(double share, bool active)
    {
        Observe(share);

        _rule.Active.ShouldBe(active);
    }

    [Fact]
    public void Observe_SleepersThatWaitForACore_AreNoHogs()
    {
        Observe(0.05);
        _rule.Active.ShouldBeTrue();

        _class.SleepingShare = 0.9;
        Observe(0.05);
        _rule.Active.ShouldBeFalse();

        Observe(double.NaN);
        _rule.Active.ShouldBeFalse();
    }

    [Fact]
    public void Observe_BetweenTheShares_StaysWhatItWas()
    {
        Observe(0.2);
        _rule.Active.ShouldBeFalse();
        Observe(0.1);
        Observe(0.2);
        _rule.Active.ShouldBeTrue();
        Observe(0.26);
        _rule.Active.ShouldBeFalse();
    }

    [Fact]
    public void Observe_UnknownShareOrNoWorkers_ChangesNothing()
    {
        Observe(0.1);
        Observe(double.NaN);
        _rule.Active.ShouldBeTrue();

        _class.Active = 0;
        Observe(1);
        _rule.Active.ShouldBeTrue();
    }

    [Fact]
    public void Lasting_OneSecond_OnlyThen()
    {
        Observe(0);
        _class.Wait(0.9);
        Observe(0);
        _rule.Lasting.ShouldBeFalse();
        _class.Wait(0.2);
        Observe(0);
        _rule.Lasting.ShouldBeTrue();
        Observe(1);
        _rule.Lasting.ShouldBeFalse();
    }

    [Fact]
    public void Observe_MachineFull_OneBlockedReadingDoesNotEndIt()
    {
        _class.IdleCores = 0;
        Observe(0);
        Observe(0.9);
        _rule.Active.ShouldBeTrue();

        _class.Wait(0.31);
        Observe(0.9);
        _rule.Active.ShouldBeFalse();
    }

    [Fact]
    public void Observe_MachineFullButWorkersSleep_EndsAtOnce()
    {
        (_class.IdleCores, _class.SleepingShare) = (0, 1);
        Observe(0);

        Observe(0.9);

        _rule.Active.ShouldBeFalse();
    }

    private void Observe(double share)
    {
        _class.BlockedShare = share;
        _rule.Observe(_class.Observation, _class.Machine);
    }
}
