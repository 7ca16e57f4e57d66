using AdaptivePool.Admission;

namespace AdaptivePool.Tests.Admission;

public sealed class DrainRateRuleTests
{
    [Fact]
    public void RetryAfter_NothingKnown_IsTheShortest() => new DrainRateRule().RetryAfter(1_000, TimeSpan.Zero).ShouldBe(TimeSpan.FromMilliseconds(100));

    [Fact]
    public void RetryAfter_SteadyRate_IsTheQueueOverTheRate()
    {
        var rule = new DrainRateRule();
        TimeSpan now = Run(rule, TimeSpan.Zero, seconds: 10, perSecond: 100);

        rule.PerSecond(now)!.Value.ShouldBe(100, 2);
        rule.RetryAfter(999, now).TotalSeconds.ShouldBe(10, 0.2);
    }

    [Fact]
    public void RetryAfter_NothingEndsAnyMore_GrowsToTheLongest()
    {
        var rule = new DrainRateRule();
        TimeSpan now = Run(rule, TimeSpan.Zero, seconds: 4, perSecond: 100);

        TimeSpan soon = rule.RetryAfter(100, now);
        rule.RetryAfter(100, now + TimeSpan.FromSeconds(20)).ShouldBeGreaterThan(soon);
        rule.RetryAfter(100, now + TimeSpan.FromHours(20)).ShouldBe(TimeSpan.FromSeconds(60));
    }

    [Fact]
    public void PerSecond_RateChanges_FollowsWithinTwoWindows()
    {
        var rule = new DrainRateRule();
        TimeSpan now = Run(rule, TimeSpan.Zero, seconds: 10, perSecond: 1_000);
        now = Run(rule, now, seconds: 5, perSecond: 10);

        rule.PerSecond(now)!.Value.ShouldBe(10, 1);
    }

    [Fact]
    public void PerSecond_WindowIsJustOver_CountsItAndTheOneBeforeNoMore()
    {
        var rule = new DrainRateRule();
        for (int seconds = 0; seconds <= 4; seconds += 2)
        {
            rule.Observe(TimeSpan.FromSeconds(seconds));
        }

        rule.PerSecond(TimeSpan.FromSeconds(4)).ShouldBe(1, "one in the last two seconds, one now");
    }

    [Fact]
    public void PerSecond_AfterAPause_IsTheLastRateAndFollowsANewOneWithinTwoWindows()
    {
        var rule = new DrainRateRule();
        TimeSpan now = Run(rule, TimeSpan.Zero, seconds: 10, perSecond: 1_000);
        rule.Pause(now);
        now += TimeSpan.FromHours(1);
        rule.PerSecond(now)!.Value.ShouldBe(1_000, 20);

        rule.Resume(now);
        rule.PerSecond(now)!.Value.ShouldBe(1_000, 20);
        now = Run(rule, now, seconds: 5, perSecond: 10);
        rule.PerSecond(now)!.Value.ShouldBe(10, 1);
    }

    [Fact]
    public void PerSecond_ManyShortTimesOfWaiting_ForgetsTheOldOnes()
    {
        var rule = new DrainRateRule();
        TimeSpan now = Run(rule, TimeSpan.Zero, seconds: 10, perSecond: 1_000);
        for (int i = 0; i < 20; i++)
        {
            rule.Pause(now);
            rule.Resume(now);
            now = Run(rule, now, seconds: 1, perSecond: 10);
        }

        rule.PerSecond(now)!.Value.ShouldBe(10, 1);
    }

    private static TimeSpan Run(DrainRateRule rule, TimeSpan now, int seconds, int perSecond)
    {
        for (int i = 0; i < seconds * perSecond; i++)
        {
            now += TimeSpan.FromSeconds(1) / perSecond;
            rule.Observe(now);
        }

        return now;
    }
}
