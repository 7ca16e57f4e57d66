using AdaptivePool.Admission;

namespace AdaptivePool.Tests.Admission;

public sealed class QueueOrderRuleTests
{
    private static readonly TimeSpan s_kickUp = TimeSpan.FromSeconds(1);

    [Theory]
    [InlineData(500, 400, 1, 2, false)]
    [InlineData(500, 400, -1, 1, false)]
    [InlineData(500, -1, -1, 0, false)]
    [InlineData(-1, -1, -1, -1, false)]
    [InlineData(1000, 400, 1, 0, true)]
    [InlineData(1500, 1600, 1, 1, true)]
    [InlineData(1500, 1200, 1, 0, true)]
    [InlineData(1500, -1, 1600, 2, false)]
    [InlineData(1500, 100, -1, 0, true)]
    public void Choose_HighestUnlessALowerOneHasWaitedTooLong(int low, int normal, int high, int lane, bool kickedUp)
    {
        TimeSpan?[] waits = [.. new[] { low, normal, high }.Select(static wait => wait < 0 ? (TimeSpan?)null : TimeSpan.FromMilliseconds(wait))];

        QueueOrderRule.Choose(waits, s_kickUp, newestFirst: false).ShouldBe((lane, false, kickedUp));
    }

    [Fact]
    public void Choose_NewestFirst_HoldsForTheHighestButNotForTheKickedUp()
    {
        QueueOrderRule.Choose([TimeSpan.FromSeconds(5), null, null], s_kickUp, newestFirst: true).ShouldBe((0, true, false));
        QueueOrderRule.Choose([TimeSpan.FromSeconds(5), null, TimeSpan.Zero], s_kickUp, newestFirst: true).ShouldBe((0, false, true));
    }
}
