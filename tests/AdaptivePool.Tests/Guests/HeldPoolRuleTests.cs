using AdaptivePool.Guests;

namespace AdaptivePool.Tests.Guests;

/// <summary>When all threads of the runtime's pool are held up, and how many it is lent.</summary>
public sealed class HeldPoolRuleTests
{
    private const int Completed = 1_000;
    private readonly HeldPoolRule _rule = new();

    public HeldPoolRuleTests() => _ = Look(Completed, 0);

    [Fact]
    public void Suspects_QueueMoves_No()
    {
        for (int look = 1; look < 100; look++)
        {
            Look(Completed + look, 1_000).ShouldBeFalse();
        }
    }

    [Fact]
    public void Suspects_NothingWaits_No()
    {
        for (int look = 0; look < 100; look++)
        {
            Look(Completed, 0).ShouldBeFalse();
        }
    }

    [Fact]
    public void Suspects_QueueStandsStillForTenMilliseconds_Yes()
    {
        Look(Completed, 1).ShouldBeFalse();
        Look(Completed, 1).ShouldBeTrue();
    }

    [Fact]
    public void Suspects_TheProcessStoodStill_No()
    {
        for (int look = 0; look < 10; look++)
        {
            _rule.Suspects(GuestAgeRule.Period, GuestAgeRule.Period, Completed, static () => 1).ShouldBeFalse();
        }
    }

    [Fact]
    public void Observe_AllSleep_DoublesUntilTheQueueMoves()
    {
        StandStill(1_000);
        int[] lent = [.. Enumerable.Range(0, 12).Select(_ => Lend(4, 4, 1_000))];
        lent.ShouldBe([1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 512, 512]);
        _rule.IsStarved.ShouldBeTrue();
        Look(Completed, 1_000).ShouldBeFalse("more than these it is not lent");
    }

    [Fact]
    public void Observe_FewWait_NotMoreThanWaitAreLent()
    {
        StandStill(3);
        int[] lent = [.. Enumerable.Range(0, 4).Select(_ => Lend(4, 4, 3))];
        lent.ShouldBe([1, 2, 4, 7]);
        _rule.IsStarved.ShouldBeFalse("a burst is no reason to warn");
    }

    [Fact]
    public void Observe_PoolHasMoreThreadsThanItsMinimum_LendsMoreThanThese()
    {
        StandStill(3);
        _rule.Observe(200, 200, 3, spare: 196).ShouldBeTrue();
        _rule.Lent.ShouldBe(197);
    }

    [Fact]
    public void Observe_OneComputes_NothingIsLent()
    {
        for (int look = 0; look < 100; look++)
        {
            Look(Completed, 5);
            _rule.Observe(4, 3, 5, spare: 0).ShouldBeFalse();
        }

        _rule.Lent.ShouldBe(0);
    }

    [Fact]
    public void Observe_SystemDoesNotTellOfThreads_OneIsLentInFiftyMilliseconds()
    {
        List<int> at = [];
        for (int look = 1; look <= 32; look++)
        {
            if (Look(Completed, 500) && _rule.Observe(0, 0, 500, spare: 0))
            {
                at.Add(look);
            }
        }

        at.ShouldBe([10, 20, 30]);
        _rule.Lent.ShouldBe(3);
    }

    [Fact]
    public void Lent_QueueMovesForASecond_IsGivenBack()
    {
        StandStill(5);
        Lend(2, 2, 5).ShouldBe(1);
        int looks = 0;
        while (_rule.Lent > 0)
        {
            // Of items that take some milliseconds each none ends in every second look.
            Look(Completed + 1 + (looks++ / 2), 5).ShouldBeFalse();
        }

        looks.ShouldBe((int)(HeldPoolRule.Moving / GuestAgeRule.Period));
    }

    private int Lend(int threads, int asleep, long pending)
    {
        _rule.Observe(threads, asleep, pending, spare: 0).ShouldBeTrue();
        return _rule.Lent;
    }

    private void StandStill(long pending)
    {
        while (!Look(Completed, pending))
        {
        }
    }

    private bool Look(long completed, long pending) => _rule.Suspects(GuestAgeRule.Period, TimeSpan.Zero, completed, () => pending);
}
