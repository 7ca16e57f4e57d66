using AdaptivePool.Sizing;

namespace AdaptivePool.Tests.Sizing;

public sealed class SharedSlotRuleTests
{
    [Theory]
    [InlineData(0, 2)]
    [InlineData(3, 5)]
    [InlineData(2.5, 5)]
    [InlineData(0.4, 2)]
    public void Next_TheCpuIsFull_OneForEachCoreBesideThoseThatWait(double waiting, int slots) =>
        SharedSlotRule.Next(slots: 50, active: 40, isPressed: true, waiting, idleShare: 0, cores: 2, most: 100).ShouldBe(slots);

    [Fact]
    public void Next_IdleCoresAndWorkThatWaits_TwiceAsManyUpToTheMost()
    {
        SharedSlotRule.Next(2, 2, isPressed: true, waiting: 0, idleShare: 0.5, cores: 2, most: 100).ShouldBe(4);
        SharedSlotRule.Next(64, 64, isPressed: true, waiting: 0, idleShare: 0.5, cores: 2, most: 100).ShouldBe(100);
    }

    [Fact]
    public void Next_IdleCoresAndNothingThatWaits_AsManyAsAreUsed()
    {
        SharedSlotRule.Next(64, 20, isPressed: false, waiting: 0, idleShare: 0.5, cores: 2, most: 100).ShouldBe(20);
        SharedSlotRule.Next(64, 0, isPressed: false, waiting: 0, idleShare: 0.5, cores: 2, most: 100).ShouldBe(2);
    }

    [Theory]
    [InlineData(2, 3)]
    [InlineData(7, 8)]
    [InlineData(100, 100)]
    public void Next_OneMoreMustBegin_OneBeyondThoseThatRun(int active, int expected) =>
        SharedSlotRule.Next(2, active, isPressed: true, waiting: 0, idleShare: 0, cores: 2, most: 100, mustBegin: true).ShouldBe(expected);

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    public void Next_NothingIsKnown_AtLeastOne(int most) =>
        SharedSlotRule.Next(1, 1, isPressed: true, waiting: 0, double.NaN, cores: 2, most).ShouldBe(1);

    [Theory]
    [InlineData(100, 4)]
    [InlineData(3, 3)]
    public void LeastLimit_NeverBindsBeforeTheSlots(int mostThreads, int expected) =>
        SharedSlotRule.LeastLimit(cores: 4, mostThreads).ShouldBe(expected);
}
