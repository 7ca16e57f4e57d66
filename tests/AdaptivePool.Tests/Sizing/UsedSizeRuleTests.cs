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
}
