using AdaptivePool.Sizing;
using Shouldly;
using Xunit;

namespace AdaptivePool.Tests.Sizing;

/// <remarks>LentRuleTests.Pace: how fast threads are lent; LentRuleTests.Back: how they come back, and who is stuck.</remarks>
public partial class LentRuleTests
{
    private readonly ClassSizeSettings _settings = new() { StartLimit = 2, MaxLimit = 2_000 };
    private readonly ScriptedClass _class = new();
    private readonly LentRule _rule;

    public LentRuleTests()
    {
        _rule = new(_settings);
        Tick(0);
    }

    [Fact]
    public void Observe_NothingCompletesForTenMs_AsManyAgain()
    {
        Tick(0.009).ShouldBe(0);

        Tick(0.002).ShouldBe(2);

        _rule.IsOpen.ShouldBeTrue();
        _rule.Stalled.ShouldBe(2);
    }

    [Fact]
    public void Observe_LongServiceTime_WaitsTwiceAsLong()
    {
        _class.LongServiceSeconds = 0.5;

        Tick(0.4).ShouldBe(0);
        Tick(0.4).ShouldBe(0);
        Tick(0.19).ShouldBe(0);
        Tick(0.02).ShouldBe(2);
    }

    [Theory]
    [InlineData(1.2, 0.8)]
    [InlineData(2, 0)]
    public void Observe_OwnCpuBusy_NeverLends(double own, double idle)
    {
        (_class.OwnCores, _class.IdleCores) = (own, idle);

        for (int i = 0; i < 50; i++)
        {
            Tick(0.2).ShouldBe(0);
        }
    }

    [Fact]
    public void Observe_OnlyOthersBusy_TenTimesTheWait()
    {
        (_class.OwnCores, _class.IdleCores) = (0.1, 0.3);

        Tick(0.09).ShouldBe(0);
        Tick(0.02).ShouldBe(2);
    }

    [Theory]
    [InlineData(0.9, true)]
    [InlineData(double.NaN, true)]
    [InlineData(0.5, false)]
    public void Observe_OnlyOthersBusyButWorkersSleep_NoLongerWaitUnlessTheyWaitForCores(double blocked, bool lends)
    {
        HasCompleted(1);
        (_class.OwnCores, _class.IdleCores, _class.SleepingShare, _class.BlockedShare) = (0.1, 0, 1, blocked);

        (Tick(0.011) > 0).ShouldBe(lends);
    }

    [Theory]
    [InlineData(double.NaN)]
    [InlineData(0.3)]
    public void Observe_OnlyOthersBusyAndNoProofOfBlocking_NeverLends(double blocked)
    {
        (_class.OwnCores, _class.IdleCores, _class.BlockedShare) = (0.5, 0, blocked);

        for (int i = 0; i < 50; i++)
        {
            Tick(0.2).ShouldBe(0);
        }
    }

    [Fact]
    public void Observe_OtherClassBurnsTheCpu_CountsAsOthers()
    {
        (_class.OwnCores, _class.IdleCores, _class.CpuShare) = (2, 0, 0.1);

        Tick(0.09).ShouldBe(0);
        Tick(0.02).ShouldBe(2);
    }

    [Fact]
    public void Observe_MachineUnknown_SleepersAtOnceOthersTenTimesTheWait()
    {
        _class.MachineKnown = false;
        Tick(0.09).ShouldBe(0);

        _class.SleepingShare = 1;
        Tick(0).ShouldBe(2);
    }

    [Fact]
    public void Observe_PoolSlept_TheStallBeginsAtTheFirstTick()
    {
        (_class.Queued, _class.Active) = (0, 0);
        Tick(0.003);
        (_class.Queued, _class.Active) = (100, null);

        Tick(3_600).ShouldBe(0);
        Tick(0.009).ShouldBe(0);
        Tick(0.002).ShouldBe(2);
    }

    [Theory]
    [InlineData(0, 2)]
    [InlineData(5, 1)]
    public void Observe_NothingQueuedOrWorkersFree_NoStall(int queued, int active)
    {
        (_class.Queued, _class.Active) = (queued, active);

        for (int i = 0; i < 50; i++)
        {
            Tick(0.2).ShouldBe(0);
        }
    }

    [Fact]
    public void Observe_Hog_NeverLends()
    {
        _class.Wait(0.4);

        _rule.Observe(_class.Observation, _class.Machine, 2, 2, isCold: true, mayGrow: false);

        _rule.Threads.ShouldBe(0);
    }

    [Fact]
    public void Observe_HeldDownByThePool_AsksNoMore()
    {
        _class.Wait(0.4);

        _rule.Observe(_class.Observation, _class.Machine, size: 4, 2, isCold: true, mayGrow: true);

        _rule.Threads.ShouldBe(0);
    }

    [Fact]
    public void Observe_BoundsOfTheUser_Hold()
    {
        LentRule rule = new(_settings with { MaxLimit = 50 });
        _class.SleepingShare = 1;
        for (int i = 0; i < 100; i++)
        {
            _class.Wait(0.011);
            rule.Observe(_class.Observation, _class.Machine, 2, 2, isCold: true, mayGrow: true);
            _class.Adopt(2 + rule.Threads);
        }

        _class.Limit.ShouldBe(50);
    }

    private int Tick(double seconds) => Tick(seconds, out _);

    private int Tick(double seconds, out LentEnd end)
    {
        _class.Wait(seconds);
        end = _rule.Observe(_class.Observation, _class.Machine, 2, 2, isCold: true, mayGrow: true);
        _class.Adopt(2 + _rule.Threads);
        return _rule.Threads;
    }

    private void HasCompleted(int items)
    {
        _class.Completed = items;
        Tick(0);
    }

    // All that are in flight hold their items from now on.
    private void Hold() => (_class.Held, _class.HeldSince) = (_class.Active ?? _class.Limit, _class.Now);
}
