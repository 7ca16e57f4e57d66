using AdaptivePool.Dispatch;

namespace AdaptivePool.Tests.Dispatch;

/// <summary>On virtual time: a thousand ticks per second, so a look every ten ticks.</summary>
public sealed class LookBudgetRuleTests
{
    private const long TicksPerSecond = 1_000;
    private long _usedUpTo = long.MinValue;

    [Fact]
    public void Take_AtFirstAndAfterAQuietTime_GivesTheMostAndThenTheRate()
    {
        Taken(at: 50_000).ShouldBe(LookBudgetRule.Most);
        Taken(at: 50_009).ShouldBe(0);
        Taken(at: 50_010).ShouldBe(1);
        Taken(at: 51_010).ShouldBe(LookBudgetRule.PerSecond);
        Taken(at: 1_000_000).ShouldBe(LookBudgetRule.Most, "what a quiet time saves is bounded");
    }

    [Fact]
    public void Take_AskedAllTheTime_GivesTheRateAndNoMore()
    {
        Taken(at: 0);
        int taken = 0;
        for (int tick = 1; tick <= 10_000; tick++)
        {
            taken += Taken(tick);
        }

        taken.ShouldBe(10 * LookBudgetRule.PerSecond);
    }

    private int Taken(long at)
    {
        int taken = 0;
        while (LookBudgetRule.Take(_usedUpTo, at, TicksPerSecond) is var after && after <= at)
        {
            _usedUpTo = after;
            taken++;
        }

        return taken;
    }
}
