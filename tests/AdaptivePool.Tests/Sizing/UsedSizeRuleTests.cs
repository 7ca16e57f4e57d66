using AdaptivePool.Sizing;
using Shouldly;
using Xunit;

namespace AdaptivePool.Tests.Sizing;

public class UsedSizeRuleTests
{
    [Theory]
    [InlineData(0, 2)]
    [InlineData(1, 2)]
    [InlineData(2, 3)]
    [InlineData(8, 10)]
    [InlineData(511.6, 640)]
    public void Cap_Used_QuarterMoreButAtLeastOne(double used, int cap) => UsedSizeRule.Cap(used).ShouldBe(cap);

    [Fact]
    public void Cap_Huge_DoesNotOverflow() => UsedSizeRule.Cap(int.MaxValue).ShouldBe(int.MaxValue);

    [Theory]
    [InlineData(0, 0, 1)]
    [InlineData(3, 0, 3)]
    [InlineData(8, 1, 32)]
    [InlineData(8, 2, 32)]
    [InlineData(8, 3, 11)]
    [InlineData(80, 10, 320)]
    [InlineData(80, 11, 91)]
    public void DemandCap_ShortQueue_IsAtLeastTheLargestStep(int active, int queued, int cap) =>
        UsedSizeRule.DemandCap(new ScriptedClass { Limit = active, Active = active, Queued = queued }.Observation).ShouldBe(cap);

    [Fact]
    public void DemandCap_ShortQueueThatFreeThreadsTake_IsTheDemand() =>
        UsedSizeRule.DemandCap(new ScriptedClass { Limit = 9, Active = 8, Queued = 1 }.Observation).ShouldBe(9);
}
