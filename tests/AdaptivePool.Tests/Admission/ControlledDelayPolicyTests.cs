using AdaptivePool.Admission;

namespace AdaptivePool.Tests.Admission;

public sealed class ControlledDelayPolicyTests
{
    private static readonly TimeSpan s_timeout = TimeSpan.FromSeconds(30);
    private static readonly TimeSpan s_target = TimeSpan.FromMilliseconds(5);
    private static readonly TimeSpan s_interval = TimeSpan.FromMilliseconds(100);

    [Fact]
    public void Judge_BeforeTheInterval_GivesTheFullTimeout() =>
        Policy(s_target).Judge(TimeSpan.FromMilliseconds(99)).ShouldBe((s_timeout, RefusalReason.QueueTimeout));

    [Fact]
    public void Judge_FromTheInterval_ShortensTheWait() => Policy(s_target).Judge(s_interval).ShouldBe((s_target, RefusalReason.Overload));

    [Fact]
    public void Judge_DelayNotBelowTheTimeout_IsWithoutEffect() =>
        Policy(s_timeout).Judge(TimeSpan.FromHours(1)).Reason.ShouldBe(RefusalReason.QueueTimeout);

    [Theory]
    [InlineData(0, 0, 100)]
    [InlineData(40, 30, 60)]
    [InlineData(100, 3, 2)]
    [InlineData(500, 7, 0)]
    public void NextLook_WithDelay_IsWhenTheOldestMayBeRefused(int standing, int oldest, int expected) =>
        Policy(s_target).NextLook(TimeSpan.FromMilliseconds(standing), TimeSpan.FromMilliseconds(oldest))
            .ShouldBe(TimeSpan.FromMilliseconds(expected));

    [Fact]
    public void NextLook_WithoutDelay_IsTheTimeoutOfTheOldest()
    {
        Policy(null).NextLook(TimeSpan.FromSeconds(9), TimeSpan.FromSeconds(4)).ShouldBe(TimeSpan.FromSeconds(26));
        Policy(null).NextLook(TimeSpan.FromSeconds(50), TimeSpan.FromSeconds(40)).ShouldBe(TimeSpan.Zero);
    }

    private static ControlledDelayPolicy Policy(TimeSpan? delay) => new(s_timeout, delay, s_interval);
}
