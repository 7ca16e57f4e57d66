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

    [Fact]
    public void NextLook_WhileTheRampMeasures_Shortest()
    {
        ClassSizePolicy policy = new(new() { StartLimit = 2 }, null);
        ScriptedClass observed = new() { LongServiceSeconds = 1 };
        policy.Decide(observed.Observation, observed.Machine);

        policy.NextLook(observed.Observation).ShouldBe(TickRule.Shortest);
    }

    [Fact]
    public void NextLook_NothingToDo_Longest()
    {
        ClassSizePolicy policy = new(new() { StartLimit = 2 }, null);
        ScriptedClass observed = new() { Queued = 0, Active = 0 };

        policy.NextLook(observed.Observation).ShouldBe(TickRule.Longest);
    }

    [Fact]
    public void NextLook_NothingDecidedForASecondWhileWorkWaits_LongestUntilItIsDecidedAgain()
    {
        ClassSizePolicy policy = new(new() { StartLimit = 2, MaxLimit = 1 }, null);
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
