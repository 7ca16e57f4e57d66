using AdaptivePool.Guests;

namespace AdaptivePool.Tests.Guests;

public sealed class GuestRuleTests
{
    private const double Short = 20e-6;
    private readonly GuestRule _rule = new();
    private TimeSpan _now;

    [Fact]
    public void Observe_RequestsThatDoNotWait_EarnTrustByNumber()
    {
        Look(0);
        Look(GuestRule.Requests - 1).ShouldBeFalse();
        Look(1).ShouldBeTrue();
        _rule.IsGuest.ShouldBeTrue();
        Look(100).ShouldBeFalse("it is told once");
    }

    [Fact]
    public void Observe_FewRequests_EarnTrustByTime()
    {
        Look(0);
        for (TimeSpan passed = TimeSpan.Zero; passed < GuestRule.Calm - TimeSpan.FromMilliseconds(50); passed += TimeSpan.FromMilliseconds(50))
        {
            Look(1, milliseconds: 50).ShouldBeFalse();
        }

        Look(1, milliseconds: 50).ShouldBeTrue();
    }

    [Fact]
    public void Observe_HardlyAny_EarnNone()
    {
        Look(0);
        Look(GuestRule.FewRequests - 1, milliseconds: 60_000).ShouldBeFalse();
    }

    [Theory]
    [InlineData(300, 5, Short)]
    [InlineData(10, 1, Short)]
    [InlineData(300, 0, 2 * GuestRule.LongestMean)]
    public void Observe_WaitsOrLongRuns_BeginAnew(int requests, int waits, double mean)
    {
        Look(0);
        Look(GuestRule.Requests - 1);
        Look(requests, waits, mean).ShouldBeFalse();
        Look(1).ShouldBeFalse("what came before does not count");
    }

    [Fact]
    public void Observe_OneLockInHundred_IsNoWait()
    {
        Look(0);
        Look(GuestRule.Requests + 44, waits: 4).ShouldBeTrue();
    }

    [Fact]
    public void ObserveCrowd_OneInHundredRequests_MeansNothing()
    {
        for (long requests = 0; requests < 1_000_000; requests += 100)
        {
            _rule.ObserveCrowd(requests).ShouldBeFalse();
        }
    }

    [Theory]
    [InlineData(0, 5)]
    [InlineData(500, 9)]
    [InlineData(1_000_000, 5)]
    public void ObserveCrowd_EachRequestMeetsOne_LosesTrustSoon(long before, int crowds)
    {
        _rule.ObserveCrowd(0).ShouldBeFalse("one says nothing");
        int seen = 1;
        while (!_rule.ObserveCrowd(before + seen))
        {
            seen++;
        }

        seen.ShouldBeLessThanOrEqualTo(crowds);
    }

    [Fact]
    public void Observe_RunTimeIsNotKnown_EarnsNothingYet()
    {
        Look(0);
        Look(10_000, mean: double.NaN).ShouldBeFalse();
        Look(1).ShouldBeTrue("what did not wait counts once the time is known");
    }

    [Fact]
    public void TakeIn_EachTime_TakesTwiceAsLongToEarn()
    {
        for (int need = GuestRule.Requests; need <= 8 * GuestRule.Requests; need *= 2)
        {
            Look(0);
            Look(need - 1).ShouldBeFalse();
            Look(1).ShouldBeTrue($"{need} requests");
            _rule.TakeIn(_now).ShouldBeTrue();
            _rule.TakeIn(_now).ShouldBeFalse("it is taken in once");
        }
    }

    [Fact]
    public void TakeIn_AnHourLater_IsForgotten()
    {
        Look(0);
        Look(GuestRule.Requests);
        _rule.TakeIn(_now);
        _now += TimeSpan.FromHours(1);
        Look(0);
        Look(GuestRule.Requests).ShouldBeTrue();
    }

    [Fact]
    public void TakeIn_AnHourAfterTheLossBefore_IsTheFirstOne()
    {
        for (int need = GuestRule.Requests; need <= 8 * GuestRule.Requests; need *= 2)
        {
            Look(0);
            Look(need);
            _rule.TakeIn(_now);
        }

        Look(0);
        Look(16 * GuestRule.Requests).ShouldBeTrue("it is trusted within the hour, and for longer than that");
        _now += TimeSpan.FromHours(1);
        _rule.TakeIn(_now).ShouldBeTrue();
        Look(0);
        Look(2 * GuestRule.Requests).ShouldBeTrue();
    }

    [Fact]
    public void ObserveBrief_CostlyForASecond_EarnsTrustAndTwiceThatAfterALoss()
    {
        for (int looks = 5; looks <= 40; looks *= 2)
        {
            for (int i = 0; i < looks - 1; i++)
            {
                _rule.ObserveBrief(_now, isCostly: true).ShouldBeFalse();
                _rule.ObserveBrief(_now, isCostly: null).ShouldBeFalse("a look after a pause says nothing");
            }

            _rule.ObserveBrief(_now, isCostly: true).ShouldBeTrue();
            _rule.ObserveBrief(_now, isCostly: true).ShouldBeFalse("it is told once");
            _rule.TakeIn(_now).ShouldBeTrue();
        }
    }

    [Fact]
    public void ObserveBrief_NotCostlyInBetween_BeginsAnew()
    {
        bool[] looks = [true, true, true, true, false, true, true, true, true];
        looks.ShouldAllBe(it => !_rule.ObserveBrief(_now, it));
        _rule.ObserveBrief(_now, isCostly: true).ShouldBeTrue();
    }

    private bool Look(long requests, long waits = 0, double mean = Short, int milliseconds = 10)
    {
        _now += TimeSpan.FromMilliseconds(milliseconds);
        return _rule.Observe(_now, requests, waits, mean);
    }
}
