using AdaptivePool.Sensing;
using AdaptivePool.Sizing;
using Shouldly;
using Xunit;

namespace AdaptivePool.Tests.Sizing;

public class PassingRuleTests
{
    private static readonly TimeSpan s_tick = TimeSpan.FromMilliseconds(10);
    private PassingRule _rule;

    [Fact]
    public void Observe_ShortItemsBesideLongOnes_IsSeenOnceAsManyHavePassed()
    {
        Look(ended: 0, held: 6).ShouldBeFalse();
        Look(ended: 7, held: 6).ShouldBeFalse("two of the seven were there before");
        Look(ended: 5, held: 6).ShouldBeTrue();
        Look(ended: 0, held: 8).ShouldBeTrue("what is seen holds while they are in long items");
    }

    [Fact]
    public void Observe_AllWaitForTheSame_IsNotSeen()
    {
        Look(ended: 100, held: 0).ShouldBeFalse();
        for (int i = 0; i < 10; i++)
        {
            Look(ended: 0, held: 8).ShouldBeFalse();
        }
    }

    // They wait in turn for something that lets one after the other pass: who ends has waited longest.
    [Fact]
    public void Observe_TheOldestEndFirst_IsNotSeen()
    {
        for (int i = 0; i < 50; i++)
        {
            Look(ended: 4, held: 4).ShouldBeFalse();
        }
    }

    [Fact]
    public void Observe_MostAreHeldNoMore_IsForgotten()
    {
        Look(ended: 0, held: 6);
        Look(ended: 20, held: 6).ShouldBeTrue();

        Look(ended: 20, held: 3).ShouldBeFalse();
        Look(ended: 0, held: 8).ShouldBeFalse();
    }

    [Fact]
    public void Observe_NoWorkerHasAnItem_IsNotSeen() => Look(ended: 10, held: 0, active: 0).ShouldBeFalse();

    private bool Look(int ended, int held, int active = 8)
    {
        ItemAges ages = new();
        for (int i = 0; i < active; i++)
        {
            ages.Add(i < held ? 1 : 0.001, waits: true);
        }

        ClassObservation c = new() { Now = TimeSpan.FromSeconds(10), Elapsed = s_tick, Ended = ended, Active = active, Ages = ages, Limit = 8, Queued = 1,
            Completed = ended, Cores = 2 };
        _rule.Observe(c);
        return _rule.IsSeen(c);
    }
}
