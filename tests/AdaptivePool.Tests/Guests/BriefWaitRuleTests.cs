using AdaptivePool.Guests;

namespace AdaptivePool.Tests.Guests;

public sealed class BriefWaitRuleTests
{
    [Theory]
    [InlineData(64, 64, 0.002, 0, true)]
    [InlineData(64, 1, 0.0001, 0.015, true)]
    [InlineData(63, 63, 0.001, 0, false)]
    [InlineData(64, 0, 0.001, 0, false)]
    [InlineData(64, 64, 0.0021, 0, false)]
    [InlineData(64, 64, double.NaN, 0, false)]
    [InlineData(64, 64, 0.001, 0.016, false)]
    public void IsBrief_ManyThatWaitShortlyAndForNoTask(int requests, int waits, double mean, double taskWaits, bool isBrief) =>
        BriefWaitRule.IsBrief(requests, waits, mean, taskWaits).ShouldBe(isBrief);

    [Theory]
    [InlineData(0, 0, 1, true)]
    [InlineData(0.05, 1.0 / 64, double.NaN, true)]
    [InlineData(0.06, 0, 0.3, false)]
    [InlineData(0, 0.016, 0.3, false)]
    [InlineData(0, 0.016, 0.1, false)]
    [InlineData(double.NaN, 0, 0.1, false)]
    [InlineData(0.2, 0.9, 0.25, true)]
    [InlineData(0.19, 0, 0.25, false)]
    [InlineData(0.3, 0, 0.26, false)]
    [InlineData(0.3, 0, double.NaN, false)]
    public void IsCostly_FullMachineWithHardlyOthersOrIdleMachineWithFewAtOnce(double idle, double others, double atOnce, bool isCostly) =>
        BriefWaitRule.IsCostly(new BriefLook(idle, others, atOnce)).ShouldBe(isCostly);

    [Theory]
    [InlineData(0.004, false, 0.2, 1.0 / 64, 1, null)]
    [InlineData(0.002, true, 0.2, 1.0 / 64, double.NaN, null)]
    [InlineData(double.NaN, true, double.NaN, 0, double.NaN, null)]
    [InlineData(0.0041, false, 0, 0, 0, "Slow")]
    [InlineData(0.0021, true, 0, 0, 0, "Slow")]
    [InlineData(0.0041, false, 0.9, 0, 0, "Slow")]
    [InlineData(0.001, false, 0.21, 0, 0.51, "Idle")]
    [InlineData(0.001, false, 0.21, 0, double.NaN, "Idle")]
    [InlineData(0.001, false, 0.21, 0.016, 0.51, "Others")]
    [InlineData(0.001, false, 0.09, 0.016, 0.1, "Others")]
    [InlineData(0.001, false, 0.1, 0.9, 0.5, null)]
    public void Ends_SlowOrNotFewWithOthersOrIdle(double mean, bool isHeldUp, double idle, double others, double atOnce, string? change) =>
        (BriefWaitRule.Ends(mean, isHeldUp, new BriefLook(idle, others, atOnce))?.ToString()).ShouldBe(change);
}
