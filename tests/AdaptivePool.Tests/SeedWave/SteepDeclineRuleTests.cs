using AdaptivePool.Control;
using AdaptivePool.SeedWave;
using Shouldly;
using Xunit;

namespace AdaptivePool.Tests.SeedWave;

public sealed class SteepDeclineRuleTests
{
    [Theory]
    [InlineData(499, true)]
    [InlineData(500, false)]
    [InlineData(2000, false)]
    public void IsSteep_HalfLost_Counts(double throughput, bool isSteep)
        => SteepDeclineRule.IsSteep(throughput, 1000, 0.5).ShouldBe(isSteep);

    [Fact]
    public void IsSteep_NothingToCompareWith_IsFalse()
        => SteepDeclineRule.IsSteep(0, double.NaN, 0.5).ShouldBeFalse();

    [Fact]
    public void IsSteep_DeclineOfOne_NeverCounts()
        => SteepDeclineRule.IsSteep(0, 1000, 1).ShouldBeFalse();
}
