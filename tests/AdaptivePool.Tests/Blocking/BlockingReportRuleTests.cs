using AdaptivePool.Blocking;

namespace AdaptivePool.Tests.Blocking;

public sealed class BlockingReportRuleTests
{
    [Fact]
    public void Decide_MostBlockedAndWorkWaits_ReportsOncePerInterval()
    {
        var rule = new BlockingReportRule(10);
        rule.Decide(0, 4, 2, 1, 0, 0).ShouldBeFalse();
        rule.Decide(1, 14, 13, 12, 30, 0.23).ShouldBeTrue();
        rule.WorkersBefore.ShouldBe(4);
        rule.Reported(1, 14);
        rule.Decide(10.9, 20, 20, 20, 30, 5).ShouldBeFalse();
        rule.Decide(11, 20, 20, 20, 30, 5).ShouldBeTrue();
        rule.WorkersBefore.ShouldBe(14);
    }

    [Theory]
    [InlineData(7, 30, 1.0)]
    [InlineData(12, 0, 1.0)]
    [InlineData(12, 30, 0.05)]
    public void Decide_NobodyWouldFeelIt_IsSilent(int blocked, long queued, double oldest) =>
        new BlockingReportRule(10).Decide(0, 20, 14, blocked, queued, oldest).ShouldBeFalse();

    [Fact]
    public void Decide_InfiniteInterval_IsAlwaysSilent() => new BlockingReportRule(double.PositiveInfinity).Decide(0, 14, 14, 14, 30, 60).ShouldBeFalse();
}
