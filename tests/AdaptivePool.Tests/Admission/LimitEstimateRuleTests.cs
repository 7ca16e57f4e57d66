using AdaptivePool.Admission;
using AdaptivePool.Control;
using AdaptivePool.Simulation.Curves;

namespace AdaptivePool.Tests.Admission;

public sealed class LimitEstimateRuleTests
{
    [Fact]
    public void Observe_LoadThatRisesAndFalls_NamesThePeak()
    {
        var rule = new LimitEstimateRule();
        for (int round = 0; round < 5; round++)
        {
            foreach (int inside in new[] { 1, 2, 4, 8, 16, 32, 64, 256, 1_024 })
            {
                rule.Observe(inside, CostCurve.Postgres.Throughput(inside));
            }
        }

        rule.Limit.ShouldBeInRange(4, 16);
    }

    [Fact]
    public void Observe_OneWindow_IsNotBelieved()
    {
        var rule = new LimitEstimateRule();
        rule.Observe(16, 1_000).ShouldBe(DecisionReason.Hold);
        rule.Limit.ShouldBe(0);
        rule.Observe(16, 1_000);
        rule.Observe(16, 1_000).ShouldBe(DecisionReason.Initial);
        rule.Limit.ShouldBe(16);
    }

    [Fact]
    public void Observe_AnotherSizeIsHardlyBetter_KeepsItsAnswer()
    {
        var rule = new LimitEstimateRule();
        Repeat(() => rule.Observe(16, 1_000));
        Repeat(() => rule.Observe(32, 1_030));
        rule.Limit.ShouldBe(16);
        Repeat(() => rule.Observe(32, 1_400));
        rule.Limit.ShouldBe(32);
    }

    [Fact]
    public void Observe_TheWorkChanges_Follows()
    {
        var rule = new LimitEstimateRule();
        Repeat(() => rule.Observe(64, 2_000));
        Repeat(() => rule.Observe(8, 1_000));
        rule.Limit.ShouldBe(64);
        DecisionReason[] reasons = [.. Enumerable.Range(0, 20).Select(_ => rule.Observe(64, 300))];
        rule.Limit.ShouldBe(8);
        reasons.ShouldContain(DecisionReason.JumpDown);
    }

    [Fact]
    public void Observe_Windows_TellRateAndHowManyWouldWait()
    {
        var rule = new LimitEstimateRule();
        rule.Observe(16, 1_000);
        rule.Observe(16, 1_000);
        rule.Observe(16, 1_000);

        // 100 ended in a second and were inside for 40 seconds together: 40 at a time, 24 more than were best.
        Window(rule, At(1, ended: 100, insideSeconds: 40)).ShouldBe((16, DecisionReason.Hold, 100, 24));
        Window(rule, At(3, ended: 200, insideSeconds: 48)).ShouldBe((16, DecisionReason.Hold, 50, 0));
    }

    /// <summary>They hold permits as well. The limit that was named let in as many less as had failed.</summary>
    [Fact]
    public void Observe_SomeHaveFailed_TheyWereInsideAsWell()
    {
        var rule = new LimitEstimateRule();
        Repeat(() => rule.Observe(16, 1_000));

        Window(rule, At(1, ended: 100, insideSeconds: 24) with { Failed = 60, FailedSeconds = 16 }).ShouldBe((16, DecisionReason.Hold, 100, 24));
    }

    [Fact]
    public void Observe_NothingKnownYet_NobodyWouldWait()
    {
        var rule = new LimitEstimateRule();
        rule.PerSecond.ShouldBe(double.NaN);
        Window(rule, At(1, ended: 100, insideSeconds: 40)).ShouldBe((0, DecisionReason.Hold, 100, 0));
    }

    [Fact]
    public void Observe_FewEnds_TheWindowGoesOn()
    {
        var rule = new LimitEstimateRule();
        rule.Observe(At(1, ended: 19, insideSeconds: 1)).Trace.ShouldBeNull();
        rule.Observe(At(2, ended: 20, insideSeconds: 2)).Trace.ShouldNotBeNull().ThroughputPerSecond.ShouldBe(10);
    }

    [Fact]
    public void Observe_InterruptedOrFailing_BeginsTheWindowAnew()
    {
        var rule = new LimitEstimateRule();
        rule.Observe(At(1, ended: 100, insideSeconds: 1) with { IsInterrupted = true }).Trace.ShouldBeNull();
        rule.Observe(At(2, ended: 120, insideSeconds: 1) with { Failed = 21 }).Trace.ShouldBeNull();
        rule.Observe(At(3, ended: 160, insideSeconds: 1) with { Failed = 21 }).Trace.ShouldNotBeNull().ThroughputPerSecond.ShouldBe(40);
    }

    /// <summary>How long a pass is inside is not known: thousands a second looked like less than one at a time, and 1 like the best limit.</summary>
    [Fact]
    public void Observe_MostWerePasses_SaysNothing()
    {
        var rule = new LimitEstimateRule();
        for (int i = 1; i <= 5; i++)
        {
            rule.Observe(At(i, ended: 10_000 * i, insideSeconds: i) with { Timed = 100 * i }).Trace.ShouldBeNull();
        }

        rule.Limit.ShouldBe(0);
        Window(rule, At(6, ended: 50_100, insideSeconds: 13) with { Timed = 599 }).ShouldBe((0, DecisionReason.Hold, 100, 0));
    }

    /// <summary>One pass among few ends is no tenth of them: the window goes on until there are enough to tell.</summary>
    [Fact]
    public void Observe_OnePassAmongFew_GoesOn()
    {
        var rule = new LimitEstimateRule();
        rule.Observe(At(1, ended: 8, insideSeconds: 1) with { Timed = 7 }).Trace.ShouldBeNull();
        Window(rule, At(2, ended: 30, insideSeconds: 4) with { Timed = 29 }).PerSecond.ShouldBe(15);
    }

    private static (int Limit, DecisionReason Reason, double PerSecond, double WouldWait) Window(LimitEstimateRule rule, LimitObservation at)
    {
        LimitDecision decision = rule.Observe(at);
        decision.Trace.ShouldNotBeNull();
        return (decision.Limit, decision.Reason, rule.PerSecond, rule.WouldWait);
    }

    private static LimitObservation At(double seconds, long ended, double insideSeconds) => new()
    {
        Now = TimeSpan.FromSeconds(seconds),
        Limit = 0,
        Held = 0,
        Queued = 0,
        Ended = ended,
        Failed = 0,
        InsideSeconds = insideSeconds,
        Timed = ended,
        Admitted = ended,
        AdmittedAfterWait = 0,
    };

    private static void Repeat(Action action)
    {
        for (int i = 0; i < 10; i++)
        {
            action();
        }
    }
}
