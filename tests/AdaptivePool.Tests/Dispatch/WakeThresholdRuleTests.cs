using AdaptivePool.Dispatch;

namespace AdaptivePool.Tests.Dispatch;

public sealed class WakeThresholdRuleTests
{
    [Theory]
    [InlineData(19e-6, 8)]
    [InlineData(2.5e-6, 8)]
    [InlineData(1e-6, 16)]
    [InlineData(0.3e-6, 64)]
    [InlineData(0.1e-6, 128)]
    [InlineData(0.04e-6, 256)]
    [InlineData(0, 512)]
    public void AtMost_ForAMeanLength_IsWhatFitsIntoAWake(double seconds, int expected) => WakeThresholdRule.AtMost(seconds).ShouldBe(expected);

    [Theory]
    [InlineData(32, false)]
    [InlineData(64, true)]
    [InlineData(512, true)]
    public void IsTiny_FromWhatMayWait_Follows(int atMost, bool expected) => WakeThresholdRule.IsTiny(atMost).ShouldBe(expected);

    [Theory]
    [InlineData(8, 1)]
    [InlineData(16, 2)]
    [InlineData(512, 64)]
    public void LookOneIn_WhereManyMayWait_IsRarer(int atMost, int expected) => WakeThresholdRule.LookOneIn(atMost).ShouldBe(expected);
}
