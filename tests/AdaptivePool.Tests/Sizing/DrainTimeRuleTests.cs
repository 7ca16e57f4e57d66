using AdaptivePool.Sizing;

namespace AdaptivePool.Tests.Sizing;

public sealed class DrainTimeRuleTests
{
    [Theory]
    [InlineData(0, 5, 5, true)]
    [InlineData(100, 104.9, 5, false)]
    [InlineData(100, 105, 5, true)]
    [InlineData(100, 400, 5, true)]
    [InlineData(100, 100, 0, true)]
    [InlineData(100, 1e9, double.PositiveInfinity, false)]
    public void IsOver_LongAfterTheFirstLook_OnceTheTimeoutHasPassed(double first, double now, double longest, bool expected)
    {
        var drain = new DrainTimeRule(longest);
        drain.IsOver(first).ShouldBe(longest == 0);
        drain.IsOver(now).ShouldBe(expected);
        drain.IsOver(now).ShouldBe(expected, "the first look counts, not the last");
    }
}
