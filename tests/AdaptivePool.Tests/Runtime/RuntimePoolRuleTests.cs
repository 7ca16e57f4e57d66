using AdaptivePool.Runtime;

namespace AdaptivePool.Tests.Runtime;

public sealed class RuntimePoolRuleTests
{
    [Fact]
    public void Observe_ProbeThatWaitsForASecond_IsStarvedUntilOneIsAnsweredSoon()
    {
        var rule = new RuntimePoolRule();
        rule.Observe(0.5, null, 0, 0);
        (rule.Delay, rule.IsStarved).ShouldBe((0.5, false));
        rule.Observe(0.5, null, 0, 0);
        (rule.Delay, rule.IsStarved).ShouldBe((1, true));
        rule.Observe(0.5, 1.2, 0, 0);
        (rule.Delay, rule.IsStarved).ShouldBe((1.2, true));
        rule.Observe(0.5, 0.001, 0, 0);
        (rule.Delay, rule.IsStarved).ShouldBe((0.001, false));
    }

    [Fact]
    public void Observe_LongQueueThatHardlyMoves_IsStarvedThoughEachProbeIsAnsweredSoon()
    {
        var rule = new RuntimePoolRule();
        rule.Observe(0.5, 0.2, 1_000, 190);
        rule.IsStarved.ShouldBeFalse("it has moved until now");
        rule.Observe(0.5, 0.2, 1_002, 188);
        rule.IsStarved.ShouldBeFalse("nothing can have waited for a second yet");
        rule.Observe(0.5, 0.2, 1_004, 186);
        (rule.Delay, rule.IsStarved).ShouldBe((1, true));
        rule.Observe(0.5, 0.001, 1_190, 0);
        rule.IsStarved.ShouldBeFalse();
    }

    [Fact]
    public void Observe_LongQueueThatMovesFast_IsNotStarved()
    {
        var rule = new RuntimePoolRule();
        for (int look = 1; look <= 20; look++)
        {
            rule.Observe(0.5, 0.05, look * 100_000, 10_000);
            rule.Delay.ShouldBe(0.05);
        }
    }

    [Fact]
    public void Observe_ProcessStoodStill_IsNoStarvation()
    {
        var rule = new RuntimePoolRule();
        rule.Observe(0.5, 60, 0, 0);
        rule.IsStarved.ShouldBeFalse("the probe's clock ran on, the looks' time did not");
    }

    /// <summary>With a probe that waits at the time of the stop, and with a queue that lasts for less than a second.</summary>
    [Theory]
    [InlineData(60.1, 0, 0)]
    [InlineData(null, 0, 0)]
    [InlineData(0.1, 20, 30)]
    public void Observe_StoppedBetweenTwoLooks_IsNoStarvation(double? answered, long completed, long pending)
    {
        TimeSpan period = TimeSpan.FromSeconds(0.5);
        var rule = new RuntimePoolRule();
        rule.Observe(RuntimePoolRule.Counted(period, period), 0.1, 0, 0);
        rule.Observe(RuntimePoolRule.Counted(TimeSpan.FromSeconds(60), period), answered, completed, pending);
        rule.Delay.ShouldBeLessThanOrEqualTo(0.5);
        rule.IsStarved.ShouldBeFalse();
    }

    [Fact]
    public void IsQuiet_NothingUsed_AfterThreeSecondsAndNotWhileAnythingIs()
    {
        var rule = new RuntimePoolRule();
        LooksUntilQuiet(rule, completedEach: 2).ShouldBe(6);
        rule.WakeUp();
        rule.IsQuiet.ShouldBeFalse();
        LooksUntilQuiet(new RuntimePoolRule(), completedEach: 100).ShouldBe(int.MaxValue);

        var waiting = new RuntimePoolRule();
        for (int i = 0; i < 100; i++)
        {
            waiting.Observe(0.5, null, 0, 0);
            waiting.IsQuiet.ShouldBeFalse("a probe that waits is watched");
        }
    }

    [Fact]
    public void Message_SaysWhatIsSeenAndWhatToDo()
    {
        string blocked = RuntimePoolRule.Message(1.24, 18, 17, "Shop.Reports.Build");
        blocked.ShouldStartWith(
            "The runtime's thread pool is starved: work waits 1.24 s there, 17 of its 18 threads sleep in code that blocks, most of the program's work that "
            + "waits there is Shop.Reports.Build. ");
        blocked.ShouldContain("AdaptiveThreadPool.Run");
        RuntimePoolRule.Message(1, 4, 1, null).ShouldStartWith("The runtime's thread pool is starved: work waits 1 s there, 3 of its 4 threads compute. ");
        RuntimePoolRule.Message(1, 0, 0, null).ShouldStartWith("The runtime's thread pool is starved: work waits 1 s there. ");
    }

    [Fact]
    public void WantsProbe_OnlyWhileOthersUseThatPool()
    {
        var rule = new RuntimePoolRule();
        rule.WantsProbe.ShouldBeFalse("nobody has looked yet");
        rule.Observe(0.5, answered: null, completed: 0, pending: 0, hasProbe: false);
        rule.WantsProbe.ShouldBeFalse("nothing waits, nothing ended");
        rule.Observe(0.5, answered: null, completed: 0, pending: 1, hasProbe: false);
        rule.WantsProbe.ShouldBeTrue("something waits");
        rule.Observe(0.5, answered: null, completed: 1, pending: 0, hasProbe: false);
        rule.WantsProbe.ShouldBeTrue("something ended");
        rule.Observe(0.5, answered: 0.001, completed: 3, pending: 0);
        rule.WantsProbe.ShouldBeTrue("something beside the probe ended");
        rule.Observe(0.5, answered: 0.001, completed: 4, pending: 0);
        rule.WantsProbe.ShouldBeFalse("only the probe ended");
        rule.IsQuiet.ShouldBeFalse("the thread looks on for a while");
    }

    private static int LooksUntilQuiet(RuntimePoolRule rule, long completedEach)
    {
        for (int look = 1; look <= 100; look++)
        {
            rule.Observe(0.5, 0.001, look * completedEach, 0);
            if (rule.IsQuiet)
            {
                return look;
            }
        }

        return int.MaxValue;
    }
}
