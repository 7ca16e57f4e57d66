using AdaptivePool.Control;
using AdaptivePool.SeedWave;
using Shouldly;
using Xunit;

namespace AdaptivePool.Tests.SeedWave;

public sealed class MinimumThroughputRuleTests
{
    [Theory]
    [InlineData(299, true)]
    [InlineData(300, false)]
    [InlineData(0, true)]
    public void IsTooLow_PerSecond_ComparesWithTheMinimum(double throughput, bool isTooLow)
        => MinimumThroughputRule.IsTooLow(throughput, 1e6, 300, false).ShouldBe(isTooLow);

    [Theory]
    [InlineData(49, true)]
    [InlineData(50, false)]
    public void IsTooLow_PercentOfBest_ComparesWithTheBestSeen(double throughput, bool isTooLow)
        => MinimumThroughputRule.IsTooLow(throughput, 1000, 5, true).ShouldBe(isTooLow);

    [Fact]
    public void IsTooLow_NothingSeenYet_NeverSuspendsARelativeMinimum()
        => MinimumThroughputRule.IsTooLow(0, 0, 50, true).ShouldBeFalse();

    [Fact]
    public void IsTooLow_MinimumOfZero_NeverSuspends()
        => MinimumThroughputRule.IsTooLow(0, 100, 0, false).ShouldBeFalse();
}
