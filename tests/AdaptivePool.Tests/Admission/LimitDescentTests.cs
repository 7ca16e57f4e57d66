using AdaptivePool.Admission;
using AdaptivePool.Control;

namespace AdaptivePool.Tests.Admission;

public sealed class LimitDescentTests
{
    private static readonly HillClimbingOptions s_options = TransactionLimitPolicy.DefaultOptions;

    [Theory]
    [InlineData(128, false)]
    [InlineData(129, true)]
    [InlineData(1_024, true)]
    [InlineData(1_025, false)]
    public void Begin_OnlyFarAboveAndWithinTheBounds_IsActive(int limit, bool isActive) => Begun(limit).IsActive.ShouldBe(isActive);

    [Fact]
    public void Begin_SearchIsOffOrAnother_IsNotActive()
    {
        Begun(1_000, s_options with { Enabled = false }).IsActive.ShouldBeFalse();
        Begun(1_000, HillClimbingOptions.SeedWave).IsActive.ShouldBeFalse();
    }

    [Fact]
    public void Observe_NobodyWaits_LeavesTheLimitAlone()
    {
        LimitDescent descent = Begun(1_000);
        descent.Observe(Now(1, held: 1_000, ended: 500, waits: false)).Limit.ShouldBe(1_000);
        descent.Observe(Now(2, held: 1_000, ended: 1_000, waits: false)).Limit.ShouldBe(1_000);
    }

    [Fact]
    public void Observe_TheLimitBinds_StepsDownByFourWithoutAFullSample()
    {
        LimitDescent descent = Begun(1_000);
        LimitDecision decision = descent.Observe(Now(0.1, held: 1_000, ended: 20));
        (decision.Limit, decision.Reason, descent.Verified).ShouldBe((250, DecisionReason.JumpDown, 1_000));
    }

    [Fact]
    public void Observe_LongestStepOfTheSearchIsShorter_StepsNoFurther() =>
        Begun(1_000, s_options with { MaxDownRatio = 2 }).Observe(Now(0.1, held: 1_000, ended: 20)).Limit.ShouldBe(500);

    [Fact]
    public void Observe_MoreInsideThanTheLimit_MeasuresNothing()
    {
        LimitDescent descent = Stepped();
        descent.Observe(Now(1, held: 251, ended: 900)).Limit.ShouldBe(250);
        descent.Observe(Now(9, held: 251, ended: 9_000)).Limit.ShouldBe(250);
    }

    /// <summary>What begins the drain does not wait for anybody to end first, however slow they are.</summary>
    [Fact]
    public void Observe_StepsDown_LooksAgainSoon()
    {
        LimitDecision decision = Begun(1_000).Observe(Now(1, held: 1_000, ended: 20));
        (decision.Limit, decision.LookAgain.TotalMilliseconds).ShouldBe((250, 20));
    }

    /// <summary>When those that are too many will have ended, as long as that is a sensible time.</summary>
    [Theory]
    [InlineData(350, 100)]
    [InlineData(251, 20)]
    [InlineData(1_000, 200)]
    public void Observe_WhileItDrains_LooksAgainWhenEnoughWillHaveEnded(int held, double milliseconds) =>
        Stepped().Observe(Now(1.1, held, ended: 1_020)).LookAgain.TotalMilliseconds.ShouldBe(milliseconds, tolerance: 0.001);

    [Fact]
    public void Observe_AsGoodAfterDrainAndOneGeneration_StepsOnAndStandsByTheLimit()
    {
        LimitDescent descent = Drained();
        descent.Observe(Now(1.1 + 0.249, held: 250, ended: 1_019)).Limit.ShouldBe(250);
        descent.Observe(Now(1.1 + 0.25, held: 250, ended: 1_020)).Limit.ShouldBe(250);
        (descent.Observe(Now(1.6, held: 250, ended: 1_270)).Limit, descent.Verified).ShouldBe((63, 250));
    }

    [Fact]
    public void Observe_FirstStepLooksWorse_MakesOneMoreAndTakesBothBackWhenThatIsWorseToo()
    {
        LimitDescent descent = Drained();
        long ended = 1_020;
        descent.Observe(Now(1.35, held: 250, ended: ended));

        // 750 per second while it drained, 250 now: doubtful after one sample, worse after two.
        descent.Observe(Now(2.35, held: 250, ended: ended + 250)).Limit.ShouldBe(250);
        (descent.Observe(Now(3.35, held: 250, ended: ended + 500)).Limit, descent.Verified).ShouldBe((63, 1_000));

        descent.Observe(Now(4, held: 63, ended: 1_710));
        descent.Observe(Now(5, held: 63, ended: 1_780));
        descent.Observe(Now(7, held: 63, ended: 1_880)).Limit.ShouldBe(63);
        LimitDecision back = descent.Observe(Now(9, held: 63, ended: 1_980));
        (back.Limit, back.Reason, descent.Verified, descent.IsActive).ShouldBe((1_000, DecisionReason.JumpUp, 1_000, false));
    }

    [Fact]
    public void Observe_FirstStepLooksWorseAndTheNextIsBetter_GoesOn()
    {
        LimitDescent descent = Drained();
        descent.Observe(Now(1.35, held: 250, ended: 1_020));
        descent.Observe(Now(2.35, held: 250, ended: 1_270));
        descent.Observe(Now(3.35, held: 250, ended: 1_520));
        descent.Observe(Now(4, held: 63, ended: 1_710));
        descent.Observe(Now(4.1, held: 63, ended: 1_780));
        (descent.Observe(Now(4.3, held: 63, ended: 1_880)).Limit, descent.Verified).ShouldBe((16, 63));
    }

    [Fact]
    public void Observe_NobodyWaitsAtTheNewLimit_EndsThere()
    {
        LimitDescent descent = Drained();
        descent.Observe(Now(1.35, held: 250, ended: 1_020));
        (descent.Observe(Now(2.35, held: 200, ended: 1_270, waits: false)).Limit, descent.Verified, descent.IsActive).ShouldBe((250, 250, false));
    }

    [Fact]
    public void Observe_MoreFailThanEndWell_BeginsTheSampleAnew()
    {
        LimitDescent descent = Begun(1_000);
        descent.Observe(Now(1, held: 1_000, ended: 100) with { Failed = 200 }).Limit.ShouldBe(1_000);
        descent.Observe(Now(1.05, held: 1_000, ended: 200) with { Failed = 200 }).Limit.ShouldBe(1_000);
        descent.Observe(Now(1.2, held: 1_000, ended: 220) with { Failed = 200 }).Limit.ShouldBe(250);
    }

    [Fact]
    public void Observe_LowestLimit_IsWhereItEnds()
    {
        var descent = new LimitDescent(s_options, 200, 1_024);
        descent.Begin(1_000);
        descent.Reopen(Now(0, held: 1_000, ended: 0));
        descent.Observe(Now(0.1, held: 1_000, ended: 20)).Limit.ShouldBe(250);
        Drain(descent);
        descent.Observe(Now(1.35, held: 250, ended: 1_020));
        descent.Observe(Now(1.6, held: 250, ended: 1_270)).Limit.ShouldBe(200);
    }

    [Fact]
    public void Observe_InterruptedWhileItDrains_IsNotJudgedByItself()
    {
        LimitDescent descent = Stepped();
        descent.Reopen(Now(1, held: 250, ended: 770));
        descent.Observe(Now(1.1, held: 250, ended: 800));

        // 200 per second when the limit was found to bind, 300 after the interruption, 190 now.
        descent.Observe(Now(2.5, held: 250, ended: 1_050));
        (descent.Observe(Now(2.5 + (250 / 190.0), held: 250, ended: 1_300)).Limit, descent.Verified).ShouldBe((63, 250));
    }

    [Fact]
    public void Observe_InterruptedWhileItDrainsAndNothingEnded_StillWantsThroughput()
    {
        LimitDescent descent = Stepped();
        descent.Reopen(Now(1, held: 0, ended: 770));
        descent.Observe(Now(1.1, held: 250, ended: 770));
        WantsMoreThan100PerSecond(descent, 1.1, 770, failed: 0);
    }

    [Fact]
    public void Observe_MoreFailThanEndWellWhileItDrains_StillWantsThroughput()
    {
        LimitDescent descent = Stepped();
        descent.Observe(Now(1, held: 300, ended: 100) with { Failed = 600 });
        descent.Observe(Now(1.1, held: 250, ended: 100) with { Failed = 600 });
        WantsMoreThan100PerSecond(descent, 1.1, 100, failed: 600);
    }

    [Fact]
    public void Observe_HardlyAnyEndedWhileItDrained_StillWantsThroughput()
    {
        LimitDescent descent = Stepped();
        descent.Observe(Now(0.2, held: 240, ended: 30));
        WantsMoreThan100PerSecond(descent, 0.2, 30, failed: 0);
    }

    [Fact]
    public void Observe_NoMoreAreInsideThanTheNewLimit_StillWantsThroughput()
    {
        LimitDescent descent = Begun(1_000);
        descent.Observe(Now(0.1, held: 240, ended: 20)).Limit.ShouldBe(250);
        descent.Observe(Now(0.35, held: 240, ended: 45));
        WantsMoreThan100PerSecond(descent, 0.35, 45, failed: 0);
    }

    [Fact]
    public void Observe_ALaterStepLooksWorse_TakesOnlyThatBack()
    {
        LimitDescent descent = Drained();
        descent.Observe(Now(1.35, held: 250, ended: 1_020));
        descent.Observe(Now(1.6, held: 250, ended: 1_270)).Limit.ShouldBe(63);
        descent.Observe(Now(1.8, held: 63, ended: 1_470));
        descent.Observe(Now(2, held: 63, ended: 1_533));
        descent.Observe(Now(3, held: 63, ended: 1_633)).Limit.ShouldBe(63);
        LimitDecision back = descent.Observe(Now(4, held: 63, ended: 1_733));
        (back.Limit, back.Reason, descent.Verified, descent.IsActive).ShouldBe((250, DecisionReason.JumpUp, 250, false));
    }

    [Fact]
    public void Observe_FirstStepLooksWorseAtTheLowestLimit_TakesItBack()
    {
        LimitDescent descent = Begun(1_000, lowest: 250);
        descent.Observe(Now(0.1, held: 1_000, ended: 20));
        Drain(descent);
        descent.Observe(Now(1.35, held: 250, ended: 1_020));
        descent.Observe(Now(2.35, held: 250, ended: 1_270)).Limit.ShouldBe(250);
        LimitDecision back = descent.Observe(Now(3.35, held: 250, ended: 1_520));
        (back.Limit, back.Reason, descent.Verified, descent.IsActive).ShouldBe((1_000, DecisionReason.JumpUp, 1_000, false));
    }

    /// <summary>Throughput in proportion to the limit: each step of a twentieth loses less than a tenth, all together nearly everything.</summary>
    [Fact]
    public void Observe_ManySmallStepsLoseALittleEach_AreJudgedByTheBest()
    {
        LimitDescent descent = Begun(1_000, s_options with { MaxDownRatio = 1.05 });
        (double seconds, long ended, int limit) = (0, 0, 1_000);
        while (descent.IsActive)
        {
            ended += limit;
            limit = descent.Observe(Now(++seconds, held: limit, ended)).Limit;
        }

        descent.Verified.ShouldBeInRange(850, 999);
    }

    [Fact]
    public void Observe_TheDrainDoesNotCome_TakesTheStepBackAndEnds()
    {
        LimitDescent descent = Stepped();

        // 200 per second before the cut: 100 in half a second are a drain, 9 are none.
        descent.Observe(Now(0.6, held: 900, ended: 120)).Limit.ShouldBe(250);
        descent.Observe(Now(1, held: 891, ended: 129)).Limit.ShouldBe(250);
        descent.IsDraining.ShouldBeTrue();
        LimitDecision back = descent.Observe(Now(1.1, held: 891, ended: 129));
        (back.Limit, back.Reason, descent.Verified, descent.IsActive, descent.IsDraining).ShouldBe((1_000, DecisionReason.JumpUp, 1_000, false, false));
    }

    [Fact]
    public void Observe_TheDrainComesAtATenthOfTheRateBefore_WaitsForIt()
    {
        LimitDescent descent = Stepped();
        for (int i = 1; i <= 74; i++)
        {
            descent.Observe(Now(0.1 + (0.5 * i), held: 1_000 - (10 * i), ended: 20 + (10 * i))).Limit.ShouldBe(250);
        }
    }

    [Fact]
    public void Observe_TransactionsAreInsideForLong_GivesThemTimeToEnd()
    {
        LimitDescent descent = Begun(1_000);
        descent.Observe(Now(0.1, held: 1_000, ended: 20) with { Timed = 20, InsideSeconds = 100 }).Limit.ShouldBe(250);
        descent.Observe(Now(10, held: 1_000, ended: 20)).Limit.ShouldBe(250);
        descent.Observe(Now(10.1, held: 1_000, ended: 20)).Limit.ShouldBe(1_000);
    }

    [Fact]
    public void Observe_NothingEndsAndNobodyWaitsWhileItDrains_OpensTheGateAndBeginsAgain()
    {
        LimitDescent descent = Stepped();
        LimitDecision back = descent.Observe(Now(0.6, held: 1_000, ended: 20, waits: false));
        (back.Limit, descent.IsActive, descent.IsDraining).ShouldBe((1_000, true, false));
        descent.Observe(Now(0.7, held: 1_000, ended: 40)).Limit.ShouldBe(250);
    }

    [Fact]
    public void Observe_NothingEndsAndOthersAreTurnedAwayWhileItDrains_Ends()
    {
        LimitDescent descent = Stepped();
        LimitDecision back = descent.Observe(Now(0.6, held: 1_000, ended: 20, waits: false) with { TurnedAway = 1 });
        (back.Limit, descent.IsActive).ShouldBe((1_000, false));
    }

    [Fact]
    public void Observe_AStepIsJudged_TellsItsGainOverTheLimitAbove()
    {
        LimitDescent descent = Drained();
        descent.Observe(Now(1.35, held: 250, ended: 1_020));
        ControllerTrace trace = descent.Observe(Now(1.6, held: 250, ended: 1_270)).Trace.ShouldNotBeNull();
        trace.Gain.ShouldBe(Math.Log(1_000 / 750.0), 1e-9);
    }

    /// <summary>200 ended per second when the limit was found to bind: half of that does not do, at first.</summary>
    private static void WantsMoreThan100PerSecond(LimitDescent descent, double seconds, long ended, long failed)
    {
        descent.Observe(Now(seconds + 2.5, held: 250, ended: ended + 250) with { Failed = failed });
        descent.Observe(Now(seconds + 5, held: 250, ended: ended + 500) with { Failed = failed }).Limit.ShouldBe(250);
        descent.Verified.ShouldBe(1_000);
        descent.Observe(Now(seconds + 7.5, held: 250, ended: ended + 750) with { Failed = failed }).Limit.ShouldBe(63);
        descent.Verified.ShouldBe(1_000);
    }

    private static LimitDescent Begun(int limit, HillClimbingOptions? options = null, int lowest = 1)
    {
        var descent = new LimitDescent(options ?? s_options, lowest, 1_024);
        descent.Begin(limit);
        descent.Reopen(Now(0, held: limit, ended: 0));
        return descent;
    }

    private static LimitDescent Stepped()
    {
        LimitDescent descent = Begun(1_000);
        descent.Observe(Now(0.1, held: 1_000, ended: 20));
        return descent;
    }

    /// <summary>750 have ended in a second; the generation that settles begins at 1.1 s.</summary>
    private static LimitDescent Drained()
    {
        LimitDescent descent = Stepped();
        Drain(descent);
        return descent;
    }

    private static void Drain(LimitDescent descent) => descent.Observe(Now(1.1, held: 250, ended: 770));

    private static LimitObservation Now(double seconds, int held, long ended, bool waits = true) => new()
    {
        Now = TimeSpan.FromSeconds(seconds),
        Limit = 0,
        Held = held,
        Queued = waits ? 20 : 0,
        Ended = ended,
        Failed = 0,
        InsideSeconds = 0,
        Timed = 0,
        Admitted = ended,
        AdmittedAfterWait = waits ? ended : 0,
    };
}
