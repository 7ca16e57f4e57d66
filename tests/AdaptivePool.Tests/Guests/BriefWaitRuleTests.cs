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
    [InlineData(0, 0, true)]
    [InlineData(0.05, 1.0 / 64, true)]
    [InlineData(0.06, 0, false)]
    [InlineData(0, 0.016, false)]
    [InlineData(double.NaN, 0, false)]
    public void IsCostly_FullMachineWithHardlyOthers(double idle, double others, bool isCostly) => BriefWaitRule.IsCostly(idle, others).ShouldBe(isCostly);

    [Theory]
    [InlineData(0.004, false, 0.2, 1.0 / 64, null)]
    [InlineData(0.002, true, 0.2, 1.0 / 64, null)]
    [InlineData(double.NaN, true, double.NaN, 0, null)]
    [InlineData(0.0041, false, 0, 0, "Slow")]
    [InlineData(0.0021, true, 0, 0, "Slow")]
    [InlineData(0.001, false, 0.21, 0, "Idle")]
    [InlineData(0.001, false, 0.21, 0.016, "Others")]
    public void Ends_SlowOrOthersOrIdle(double mean, bool isHeldUp, double idle, double others, string? change) =>
        (BriefWaitRule.Ends(mean, isHeldUp, idle, others)?.ToString()).ShouldBe(change);
}
