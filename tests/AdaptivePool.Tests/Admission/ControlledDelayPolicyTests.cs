using System.Threading.RateLimiting;
using AdaptivePool.Admission;

namespace AdaptivePool.Tests.Admission;

public sealed class ControlledDelayPolicyTests
{
    private static readonly TimeSpan s_timeout = TimeSpan.FromSeconds(30);
    private static readonly TimeSpan s_target = TimeSpan.FromMilliseconds(5);
    private static readonly TimeSpan s_interval = TimeSpan.FromMilliseconds(100);

    [Fact]
    public void Judge_BeforeTheInterval_GivesTheFullTimeout() =>
        Policy(QueueProcessingOrder.OldestFirst, s_target, newestUnderOverload: true).Judge(TimeSpan.FromMilliseconds(99))
            .ShouldBe(new ControlledDelayVerdict { NewestFirst = false, WaitLimit = s_timeout, Reason = RefusalReason.QueueTimeout });

    [Fact]
    public void Judge_FromTheInterval_ShortensTheWaitAndTurnsTheOrder() =>
        Policy(QueueProcessingOrder.OldestFirst, s_target, newestUnderOverload: true).Judge(s_interval)
            .ShouldBe(new ControlledDelayVerdict { NewestFirst = true, WaitLimit = s_target, Reason = RefusalReason.Overload });

    [Theory]
    [InlineData(QueueProcessingOrder.OldestFirst, false)]
    [InlineData(QueueProcessingOrder.NewestFirst, true)]
    public void Judge_FixedOrders_DoNotDependOnLoad(QueueProcessingOrder order, bool newestFirst)
    {
        Policy(order, null).Judge(TimeSpan.Zero).NewestFirst.ShouldBe(newestFirst);
        Policy(order, null).Judge(TimeSpan.FromHours(1)).NewestFirst.ShouldBe(newestFirst);
    }

    [Fact]
    public void Judge_DelayNotBelowTheTimeout_IsWithoutEffect() =>
        Policy(QueueProcessingOrder.OldestFirst, s_timeout).Judge(TimeSpan.FromHours(1)).Reason.ShouldBe(RefusalReason.QueueTimeout);

    [Theory]
    [InlineData(0, 0, 100)]
    [InlineData(40, 30, 60)]
    [InlineData(100, 3, 2)]
    [InlineData(500, 7, 0)]
    public void NextLook_WithDelay_IsWhenTheOldestMayBeRefused(int standing, int oldest, int expected) =>
        Policy(QueueProcessingOrder.OldestFirst, s_target).NextLook(TimeSpan.FromMilliseconds(standing), TimeSpan.FromMilliseconds(oldest))
            .ShouldBe(TimeSpan.FromMilliseconds(expected));

    [Fact]
    public void NextLook_WithoutDelay_IsTheTimeoutOfTheOldest()
    {
        Policy(QueueProcessingOrder.OldestFirst, null).NextLook(TimeSpan.FromSeconds(9), TimeSpan.FromSeconds(4)).ShouldBe(TimeSpan.FromSeconds(26));
        Policy(QueueProcessingOrder.OldestFirst, null).NextLook(TimeSpan.FromSeconds(50), TimeSpan.FromSeconds(40)).ShouldBe(TimeSpan.Zero);
    }

    private static ControlledDelayPolicy Policy(QueueProcessingOrder order, TimeSpan? delay, bool newestUnderOverload = false) =>
        new(order, newestUnderOverload, s_timeout, delay, s_interval);
}
