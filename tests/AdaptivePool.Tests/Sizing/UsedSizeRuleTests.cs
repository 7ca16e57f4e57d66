using AdaptivePool.Sizing;
using Shouldly;
using Xunit;

namespace AdaptivePool.Tests.Sizing;

public class UsedSizeRuleTests
{
    private static readonly ClassSizeSettings s_settings = new() { Cores = 2 };

    [Theory]
    [InlineData(0, 2)]
    [InlineData(1, 2)]
    [InlineData(2, 3)]
    [InlineData(8, 10)]
    [InlineData(511.6, 640)]
    public void Cap_Used_QuarterMoreButAtLeastOne(double used, int cap) => UsedSizeRule.Cap(used, s_settings).ShouldBe(cap);

    [Fact]
    public void Cap_Huge_DoesNotOverflow() => UsedSizeRule.Cap(int.MaxValue, s_settings).ShouldBe(int.MaxValue);
}
