using AdaptivePool.Sizing;
using Shouldly;
using Xunit;

namespace AdaptivePool.Tests.Sizing;

public class TickRuleTests
{
    [Theory]
    [InlineData(false, 40, 3)]
    [InlineData(true, 5, 3)]
    [InlineData(true, 10, 3)]
    [InlineData(true, 20, 5)]
    [InlineData(true, 40, 10)]
    [InlineData(true, 4_000, 10)]
    public void Next_ByStallAndState(bool settled, int stallMilliseconds, int expected) =>
        TickRule.Next(settled, TimeSpan.FromMilliseconds(stallMilliseconds)).ShouldBe(TimeSpan.FromMilliseconds(expected));

    /// <summary>What a look costs, in microseconds, and the pause after it, in milliseconds.</summary>
    [Theory]
    [InlineData(3, true, 75, 3)]
    [InlineData(3, true, 700, 6.3)]
    [InlineData(3, true, 1_500, 10)]
    [InlineData(10, false, 75, 10)]
    [InlineData(10, false, 500, 19.5)]
    [InlineData(10, false, 1_500, 30)]
    [InlineData(6, false, 200, 7.8)]
    [InlineData(10, false, 50_000, 30)]
    public void Pause_LooksCostMuch_IsLonger(double wanted, bool isHurried, double cost, double expected) =>
        TickRule.Pause(TimeSpan.FromMilliseconds(wanted), isHurried, cost * 1e-6).TotalMilliseconds.ShouldBe(expected, 0.001);

    /// <summary>The first looks of a process compile what they call, and the work that they are at is the one that cannot wait.</summary>
    [Fact]
    public void Cost_OneLookIsAnException_CountsForLittleAndFallsAtOnce()
    {
        double once = TickRule.Cost(0.000_1, 0.000_9);
        once.ShouldBe(0.000_2, 1e-9);
        TickRule.Cost(once, 0.000_1).ShouldBe(0.000_1, 1e-9);
        double often = 0;
        for (int i = 0; i < 40; i++)
        {
            often = TickRule.Cost(often, 0.001);
        }

        often.ShouldBeInRange(0.000_9, 0.001);
    }

    [Fact]
    public void NextLook_WhileTheRampMeasures_Shortest()
    {
        ClassSizePolicy policy = new(new() { Cores = 2 }, null);
        ScriptedClass observed = new() { LongServiceSeconds = 1 };
        policy.Decide(observed.Observation, observed.Machine);

        policy.NextLook(observed.Observation).ShouldBe(TickRule.Shortest);
    }

    [Fact]
    public void NextLook_NothingToDo_Longest()
    {
        ClassSizePolicy policy = new(new() { Cores = 2 }, null);
        ScriptedClass observed = new() { Queued = 0, Active = 0 };

        policy.NextLook(observed.Observation).ShouldBe(TickRule.Longest);
    }

    [Fact]
    public void NextLook_NothingDecidedForASecondWhileWorkWaits_LongestUntilItIsDecidedAgain()
    {
        ClassSizePolicy policy = new(new() { Cores = 2, MaxLimit = 1 }, null);
        ScriptedClass observed = new() { Limit = 1, Queued = 5, SleepingShare = 1 };
        policy.Decide(observed.Observation, observed.Machine);
        policy.NextLook(observed.Observation).ShouldBe(TickRule.Shortest);

        for (int i = 0; i < 110; i++)
        {
            observed.Wait(0.01);
            policy.Decide(observed.Observation, observed.Machine);
        }

        policy.NextLook(observed.Observation).ShouldBe(TickRule.Longest);

        policy.Resize(4);
        policy.Decide(observed.Observation, observed.Machine);
        policy.NextLook(observed.Observation).ShouldBe(TickRule.Shortest);
    }
}
