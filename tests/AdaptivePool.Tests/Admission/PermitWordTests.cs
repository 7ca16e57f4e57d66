using AdaptivePool.Admission;
using AdaptivePool.Internal;

namespace AdaptivePool.Tests.Admission;

public sealed class PermitWordTests
{
    [Fact]
    public void TryTake_UpToTheLimit_SucceedsThenFails()
    {
        var word = new PermitWord<RealSync>(2, alwaysSlow: false);
        word.TryTake(out _).ShouldBeTrue();
        word.TryTake(out _).ShouldBeTrue();
        word.TryTake(out bool mustAdmit).ShouldBeFalse();
        mustAdmit.ShouldBeFalse();
        word.Held.ShouldBe(2);
        word.GiveBack().ShouldBeFalse();
        word.TryTake(out _).ShouldBeTrue();
    }

    [Fact]
    public void TryTake_NoLimit_AlwaysSucceeds()
    {
        var word = new PermitWord<RealSync>(0, alwaysSlow: false);
        for (int i = 0; i < 1_000; i++)
        {
            word.TryTake(out _).ShouldBeTrue();
        }

        word.Held.ShouldBe(1_000);
    }

    [Fact]
    public void TryTakeExact_Full_SendsEverybodyTheSlowWayUntilItIsOpened()
    {
        var word = new PermitWord<RealSync>(1, alwaysSlow: false);
        word.TryTakeExact(elseSlow: true).ShouldBeTrue();
        word.TryTakeExact(elseSlow: true).ShouldBeFalse();
        word.GiveBack().ShouldBeTrue();
        word.TryTake(out _).ShouldBeFalse();
        word.TryTakeExact(elseSlow: true).ShouldBeTrue();
        word.ClearSlow();
        word.GiveBack().ShouldBeFalse();
        word.TryTake(out _).ShouldBeTrue();
    }

    [Fact]
    public void SetLimit_BothWays_KeepsTheHeldPermits()
    {
        var word = new PermitWord<RealSync>(2, alwaysSlow: false);
        word.TryTake(out _).ShouldBeTrue();
        word.TryTake(out _).ShouldBeTrue();
        word.SetLimit(1);
        (word.Limit, word.Held).ShouldBe((1, 2));
        word.GiveBack();
        word.TryTake(out _).ShouldBeFalse();
        word.SetLimit(1_000_000);
        (word.Limit, word.Held).ShouldBe((1_000_000, 1));
        word.TryTake(out _).ShouldBeTrue();
    }
}
