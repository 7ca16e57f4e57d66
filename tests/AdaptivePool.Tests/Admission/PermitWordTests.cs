using AdaptivePool.Admission;
using AdaptivePool.Internal;

namespace AdaptivePool.Tests.Admission;

public sealed class PermitWordTests
{
    [Fact]
    public void TryTake_UpToTheLimit_SucceedsThenFails()
    {
        var word = new PermitWord<RealSync>(2, alwaysSlow: false);
        word.TryTake(looksFirst: true, out _).ShouldBeTrue();
        word.TryTake(looksFirst: true, out _).ShouldBeTrue();
        word.TryTake(looksFirst: true, out bool mustAdmit).ShouldBeFalse();
        mustAdmit.ShouldBeFalse();
        word.Held.ShouldBe(2);
        word.GiveBack().ShouldBeFalse();
        word.TryTake(looksFirst: true, out _).ShouldBeTrue();
    }

    [Fact]
    public void TryTake_NoLimit_AlwaysSucceeds()
    {
        var word = new PermitWord<RealSync>(0, alwaysSlow: false);
        for (int i = 0; i < 1_000; i++)
        {
            word.TryTake(looksFirst: true, out _).ShouldBeTrue();
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
        word.TryTake(looksFirst: true, out _).ShouldBeFalse();
        word.TryTakeExact(elseSlow: true).ShouldBeTrue();
        word.ClearSlow();
        word.GiveBack().ShouldBeFalse();
        word.TryTake(looksFirst: true, out _).ShouldBeTrue();
    }

    [Fact]
    public void SetLimit_BothWays_KeepsTheHeldPermits()
    {
        var word = new PermitWord<RealSync>(2, alwaysSlow: false);
        word.TryTake(looksFirst: true, out _).ShouldBeTrue();
        word.TryTake(looksFirst: true, out _).ShouldBeTrue();
        word.SetLimit(1);
        (word.Limit, word.Held).ShouldBe((1, 2));
        word.GiveBack();
        word.TryTake(looksFirst: true, out _).ShouldBeFalse();
        word.SetLimit(1_000_000);
        (word.Limit, word.Held).ShouldBe((1_000_000, 1));
        word.TryTake(looksFirst: true, out _).ShouldBeTrue();
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void TryTake_Full_CountsNobodyInTheEnd(bool looksFirst)
    {
        var word = new PermitWord<RealSync>(1, alwaysSlow: false);
        word.TryTake(looksFirst, out _).ShouldBeTrue();
        word.TryTake(looksFirst, out bool mustAdmit).ShouldBeFalse();
        mustAdmit.ShouldBeFalse();
        (word.Limit, word.Held).ShouldBe((1, 1));
    }

    [Fact]
    public void TryTake_SomebodyWaits_FailsAndSaysSoIfItWrote()
    {
        var word = new PermitWord<RealSync>(2, alwaysSlow: true);
        word.TryTake(looksFirst: true, out bool mustAdmit).ShouldBeFalse();
        mustAdmit.ShouldBeFalse();
        word.TryTake(looksFirst: false, out mustAdmit).ShouldBeFalse();
        mustAdmit.ShouldBeTrue();
        (word.Held, word.HasRoom).ShouldBe((0, true));
    }

    /// <summary>The parts of the word stay apart, also when more are held than the limit allows.</summary>
    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void Parts_OverTheLimitAndWithoutOne_StayApart(bool isSlow)
    {
        var word = new PermitWord<RealSync>(0, isSlow);
        for (int i = 0; i < 5; i++)
        {
            word.TryTakeExact(elseSlow: false).ShouldBeTrue();
        }

        foreach (int limit in new[] { 1, 1_000_000, 4, 0, 5, 6, 1 })
        {
            word.SetLimit(limit);
            (word.Limit, word.Held, word.HasRoom).ShouldBe((limit, 5, limit is 0 or > 5));
            word.GiveBack().ShouldBe(isSlow);
            word.Held.ShouldBe(4);
            word.TryTakeExact(elseSlow: false).ShouldBe(limit is 0 or > 4);
            if (limit is 1 or 4)
            {
                word.SetLimit(0);
                word.TryTakeExact(elseSlow: false).ShouldBeTrue();
            }
        }
    }
}
