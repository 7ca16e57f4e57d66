using AdaptivePool.Sizing;

namespace AdaptivePool.Tests.Sizing;

public class TrialCostTests
{
    private readonly ScriptedClass _class = new() { Limit = 40 };
    private readonly ScriptedVerifier _verifier = new();
    private readonly KeptSize _kept;
    private readonly TrialCost _cost;

    public TrialCostTests()
    {
        _kept = new(40, _verifier);
        _cost = new(_kept, new());
    }

    private TimeSpan Now => TimeSpan.FromSeconds(_class.Now);

    [Fact]
    public void Ratios_NothingMeasured_NoBound()
    {
        _cost.HighestRatio(Now).ShouldBe(double.PositiveInfinity);
        _cost.MayLookBelow(Now, 0.25).ShouldBeTrue();
    }

    [Fact]
    public void Ratios_ShortItems_AnyTrialIsCheap()
    {
        Verify(40, 4_000);
        _cost.HighestRatio(Now).ShouldBeGreaterThan(10);
        _cost.MayLookBelow(Now, 0.25).ShouldBeTrue();
    }

    [Fact]
    public void Ratios_ItemsOfSeconds_OnlyNearTrials()
    {
        // A service time of 4 s: 0.3 s may be spent in the first minute. A trial above takes 10 s, and one below 20 s with its samples.
        Verify(40, 10);
        _cost.HighestRatio(Now).ShouldBe(1.03, 0.001);
        _cost.MayLookBelow(Now, 0.99).ShouldBeTrue();
        _cost.MayLookBelow(Now, 0.98).ShouldBeFalse();
    }

    [Fact]
    public void Observe_TrialThatBringsLess_IsPaidFor()
    {
        Verify(40, 100);
        Spend(40, 1, 100);
        double before = _cost.HighestRatio(Now);
        Spend(10, 0.1, 0);
        _cost.HighestRatio(Now).ShouldBe(before - 0.1, 0.02);
        Spend(10, 1, 0);
        _cost.HighestRatio(Now).ShouldBe(1);
        _cost.MayLookBelow(Now, 0.25).ShouldBeFalse();
    }

    [Fact]
    public void Observe_TrialThatBringsMore_PaysForOthers()
    {
        Verify(40, 100);
        Spend(40, 1, 100);
        Spend(10, 0.1, 0);
        double before = _cost.HighestRatio(Now);
        Spend(60, 0.5, 100);
        _cost.HighestRatio(Now).ShouldBeGreaterThan(before);
    }

    // All that the kept size would have completed was asked for: more are at work than that has threads.
    [Fact]
    public void Observe_TrialAboveLeavesNothingWaiting_IsPaidFor()
    {
        Verify(40, 100);
        Spend(40, 1, 100);
        _class.Queued = 0;
        double before = _cost.HighestRatio(Now);
        Spend(60, 0.1, 0);
        _cost.HighestRatio(Now).ShouldBeLessThan(before);
    }

    [Fact]
    public void Observe_TimeAtTheKeptSize_EarnsNewTrials()
    {
        Verify(40, 100);
        Spend(40, 1, 100);
        Spend(10, 2, 0);
        _cost.HighestRatio(Now).ShouldBe(1);
        Spend(40, 900, 90_000);
        _cost.HighestRatio(Now).ShouldBeGreaterThan(2);
    }

    [Fact]
    public void Observe_AnotherSizeIsKept_BeginsAnew()
    {
        Verify(40, 100);
        Spend(40, 1, 100);
        Spend(10, 2, 0);
        Verify(50, 125);
        Spend(50, 0.1, 12);
        _cost.HighestRatio(Now).ShouldBeGreaterThan(1.2);
    }

    [Theory]
    [InlineData(double.NaN, 0, false, false)]
    [InlineData(double.NaN, 0, true, true)]
    [InlineData(0.8, 0, false, true)]
    [InlineData(0.8, 0, true, true)]
    [InlineData(0.95, 0.9, false, false)]
    [InlineData(0.95, 0.9, true, true)]
    public void Counts_VerifiedOrBeforeAServer(double blocked, double sleeping, bool isVerified, bool counts)
    {
        KindRule kind = new();
        (_class.BlockedShare, _class.SleepingShare) = (blocked, sleeping);
        for (int i = 0; i < 20; i++)
        {
            _class.Wait(0.1);
            kind.Observe(_class.Observation, _class.Machine);
        }

        _kept.Prove(40, 100);
        _verifier.VerifiedSize = isVerified ? 40 : 0;
        new TrialCost(_kept, kind).Counts.ShouldBe(counts);
    }

    [Fact]
    public void Ratios_SizeIsNotVerified_MoreMayBeSpent()
    {
        _kept.Prove(40, 10);
        KindRule kind = new();
        _class.BlockedShare = 0.8;
        kind.Observe(_class.Observation, _class.Machine);
        TrialCost cost = new(_kept, kind);
        cost.HighestRatio(Now).ShouldBe(1.09, 0.001);
        cost.MayLookBelow(Now, 0.25).ShouldBeTrue();
        _cost.HighestRatio(Now).ShouldBe(double.PositiveInfinity);
    }

    private void Verify(int size, double rate)
    {
        _kept.Prove(size, rate);
        _verifier.VerifiedSize = size;
    }

    private void Spend(int limit, double seconds, int items)
    {
        _class.Adopt(limit);
        double step = 0.1;
        int steps = (int)Math.Round(seconds / step);
        _cost.Observe(_class.Observation);
        for (int i = 0; i < steps; i++)
        {
            _class.Complete(step, items / steps, 0.1);
            _cost.Observe(_class.Observation);
        }
    }
}
