using AdaptivePool.Control;
using Shouldly;
using Xunit;

namespace AdaptivePool.Tests.Control;

public sealed class HillClimbingControllerTests
{
    [Fact]
    public void Update_FirstSample_AdoptsTheSizeInForce()
    {
        var controller = new HillClimbingController();
        var feed = new SampleFeed(controller, 40, Knee(40));
        SizeDecision first = feed.Step();
        first.Reason.ShouldBe(DecisionReason.Initial);
        first.Target.ShouldBe(40);
        controller.BaseSize.ShouldBe(40);
    }

    [Fact]
    public void Update_DefaultOptions_ProbesDownFirstAndByOneQuarterAtMost()
    {
        var feed = new SampleFeed(new HillClimbingController(), 40, Knee(40));
        SizeDecision probe = feed.RunUntil(DecisionReason.Wave);
        probe.Target.ShouldBe(32);
        (probe.Trace.From, probe.Trace.To, probe.Trace.State).ShouldBe((40, 32, "Usual"));
    }

    [Fact]
    public void Update_OnePeriod_IsABBAWithSettlingSamplesAfterEachChange()
    {
        var feed = new SampleFeed(new HillClimbingController(), 40, Knee(40));
        feed.Step();
        var sizes = new List<int>();
        for (int i = 0; i < 6; i++)
        {
            sizes.Add(feed.Target);
            feed.Step();
        }

        // A, (settle) B B, (settle) A
        sizes.ShouldBe([40, 32, 32, 32, 40, 40]);
    }

    [Fact]
    public void Update_ProbedHalfOfTheWave_IsATrialHoweverLongItLasts()
    {
        var controller = new HillClimbingController();
        var feed = new SampleFeed(controller, 40, Knee(90));
        List<SizeDecision> decisions = feed.Run(400);
        decisions.ShouldContain(d => d.IsTrial && d.Reason == DecisionReason.Hold);
        decisions.ShouldContain(d => !d.IsTrial && d.Reason == DecisionReason.JumpUp);
        feed.RunUntil(DecisionReason.Wave).IsTrial.ShouldBe(feed.Target != controller.BaseSize);
    }

    [Fact]
    public void Update_SettlingSample_IsIgnored()
    {
        // The samples right after each change of size claim that the smaller size were twice as fast; believing them would shrink the pool.
        double Curve(int n) => n * 100.0;
        var feed = new SampleFeed(new HillClimbingController(new() { ModelJump = false }), 40, Curve) { Max = 40 };
        int previous = 40;
        for (int i = 0; i < 200; i++)
        {
            bool hasChanged = feed.Target != previous;
            previous = feed.Target;
            feed.Throughput = n => hasChanged && n < 40 ? 8000 : Curve(n);
            feed.Step().Reason.ShouldNotBe(DecisionReason.JumpDown);
        }
    }

    [Fact]
    public void Update_RisingCurve_JumpsUpByTheProvenMagnitude()
    {
        var feed = new SampleFeed(new HillClimbingController(), 40, Knee(1000));
        SizeDecision jump = feed.RunUntil(DecisionReason.JumpUp);
        (jump.Trace.From, jump.Trace.To, jump.Target).ShouldBe((40, 50, 50));
        jump.Trace.Gain.ShouldBe(Math.Log(1.25), 0.05);
        jump.Trace.Noise.ShouldBeGreaterThan(0);
        jump.Trace.ThroughputPerSecond.ShouldBeGreaterThan(0);
    }

    [Fact]
    public void Update_RisingCurve_NeverTriesMoreThanAQuarterMoreAtOnce()
    {
        var feed = new SampleFeed(new HillClimbingController(), 8, Knee(500));
        foreach (SizeDecision decision in feed.Run(2000))
        {
            if (decision.Trace.To > decision.Trace.From)
            {
                decision.Trace.To.ShouldBeLessThanOrEqualTo(Math.Max(decision.Trace.From + 1, (int)(decision.Trace.From * 1.25 * 1.25)));
            }
        }

        feed.Target.ShouldBeInRange(400, 640);
    }

    [Fact]
    public void Update_Plateau_JumpsDownToTheKnee()
    {
        var controller = new HillClimbingController();
        var feed = new SampleFeed(controller, 160, Knee(40));
        SizeDecision jump = feed.RunUntil(DecisionReason.JumpDown);
        jump.Target.ShouldBe(128);
        feed.Run(500);
        controller.BaseSize.ShouldBeInRange(40, 50);
    }

    [Fact]
    public void Update_FallingCurve_JumpsDownFurtherThanItProbed()
    {
        var feed = new SampleFeed(new HillClimbingController(), 200, n => 1e6 / n);
        SizeDecision jump = feed.RunUntil(DecisionReason.JumpDown);
        jump.Target.ShouldBeLessThan(160);
        jump.Target.ShouldBeGreaterThanOrEqualTo(100, "MaxDownRatio is 2");
        jump.Trace.Gain.ShouldBeLessThan(0);
    }

    [Fact]
    public void Update_CertainOfItsSize_RestsForGrowingTimes()
    {
        var controller = new HillClimbingController();
        var feed = new SampleFeed(controller, 40, Peak(40));
        var rests = new List<int>();
        int resting = 0;
        for (int i = 0; i < 1500; i++)
        {
            feed.Step();
            if (controller.State == ControllerState.Rest)
            {
                resting++;
            }
            else if (resting > 0)
            {
                rests.Add(resting);
                resting = 0;
            }
        }

        rests.Count.ShouldBeGreaterThan(4);
        rests[1].ShouldBeGreaterThan(rests[0]);
        rests[^1].ShouldBe(new HillClimbingOptions().MaxRestSamples);
        controller.BaseSize.ShouldBe(40);
    }

    [Fact]
    public void Update_Holding_SharesOneTrace()
    {
        var controller = new HillClimbingController();
        var feed = new SampleFeed(controller, 40, Peak(40));
        while (controller.State != ControllerState.Rest)
        {
            feed.Step();
        }

        SizeDecision first = feed.Step();
        SizeDecision second = feed.Step();
        second.Reason.ShouldBe(DecisionReason.Hold);
        second.Trace.ShouldBeSameAs(first.Trace);
    }

    [Fact]
    public void Update_LevelChangesDuringARest_ProbesAgainAtOnce()
    {
        var controller = new HillClimbingController();
        var feed = new SampleFeed(controller, 40, Peak(40));
        feed.Run(1500);
        while (controller.State != ControllerState.Rest)
        {
            feed.Step();
        }

        // The rest may have just begun; two samples give it a level to compare with.
        feed.Run(2);
        feed.Throughput = n => Peak(40)(n) / 2;
        feed.Run(3);
        controller.State.ShouldBe(ControllerState.Usual);
    }

    [Fact]
    public void Update_CurveTurnsRound_BeginsAgain()
    {
        var controller = new HillClimbingController();
        var feed = new SampleFeed(controller, 100, Knee(100)) { Max = 100 };
        feed.Run(300);
        feed.Throughput = n => 1e6 / n;
        SizeDecision again = feed.RunUntil(DecisionReason.Reinitialized, 1000);
        again.Target.ShouldBe(controller.BaseSize);
        feed.Run(500);
        feed.Target.ShouldBeLessThan(20);
    }

    [Fact]
    public void Update_NothingQueued_HoldsAndDoesNotProbe()
    {
        var controller = new HillClimbingController();
        var feed = new SampleFeed(controller, 40, Knee(40)) { Queued = 0 };
        foreach (SizeDecision decision in feed.Run(100))
        {
            decision.Reason.ShouldBe(DecisionReason.DemandLimited);
            decision.Target.ShouldBe(40);
        }

        controller.State.ShouldBe(ControllerState.DemandLimited);
        feed.Queued = 10;
        feed.RunUntil(DecisionReason.Wave, 5);
    }

    [Fact]
    public void Update_QueueEmptiesInTheWave_ReturnsToTheBaseSize()
    {
        var feed = new SampleFeed(new HillClimbingController(), 40, Knee(40));
        feed.RunUntil(DecisionReason.Wave);
        feed.Queued = 0;
        SizeDecision back = feed.RunUntil(DecisionReason.DemandLimited, 10);
        back.Target.ShouldBe(40);
        feed.Run(20).ShouldAllBe(d => d.Target == 40);
    }

    [Fact]
    public void Update_UpwardProbeEmptiesTheQueue_CountsAsALowerBound()
    {
        // Work arrives a little faster than 40 threads can take it: each probe above empties the queue, and that must not keep the pool at 40 for ever.
        var feed = new SampleFeed(new HillClimbingController(), 40, Knee(1000));
        for (int i = 0; i < 200 && feed.Target < 60; i++)
        {
            feed.Queued = feed.Target > 40 ? 0 : 100;
            if (feed.Step().Reason == DecisionReason.JumpUp)
            {
                feed.Target.ShouldBe(50);
                return;
            }
        }

        feed.Target.ShouldBe(50);
    }

    [Fact]
    public void Update_RestInterruptedByAnEmptyQueue_GoesOnResting()
    {
        var controller = new HillClimbingController();
        var feed = new SampleFeed(controller, 40, Peak(40));
        feed.Run(1500);
        while (controller.State != ControllerState.Rest)
        {
            feed.Step();
        }

        feed.Queued = 0;
        feed.Step();
        controller.State.ShouldBe(ControllerState.DemandLimited);
        feed.Queued = 5;
        feed.Step();
        controller.State.ShouldBe(ControllerState.Rest);
    }

    [Fact]
    public void Update_FewConnections_RefusesTheJump()
    {
        var feed = new SampleFeed(new HillClimbingController(), 40, Knee(1000)) { Connections = 9 };
        SizeDecision refused = feed.RunUntil(DecisionReason.FalseJump);
        refused.Target.ShouldBe(40);
        feed.Run(300).ShouldAllBe(d => d.Reason != DecisionReason.JumpUp);
    }

    [Fact]
    public void Update_SizeChangedByOthers_BeginsAgainThere()
    {
        var controller = new HillClimbingController();
        var feed = new SampleFeed(controller, 40, Knee(40));
        feed.Run(50);
        feed.Target = 300;
        SizeDecision decision = feed.Step();
        decision.Reason.ShouldBe(DecisionReason.Reinitialized);
        decision.Target.ShouldBe(300);
        controller.BaseSize.ShouldBe(300);
    }

    [Fact]
    public void Update_BoundsClosed_MovesInsideThem()
    {
        var controller = new HillClimbingController();
        var feed = new SampleFeed(controller, 40, Knee(40));
        feed.Run(3);
        feed.Max = 20;
        SizeDecision decision = feed.Step();
        decision.Reason.ShouldBe(DecisionReason.ManualResize);
        decision.Target.ShouldBe(20);
        feed.Min = 20;
        feed.Run(100).ShouldAllBe(d => d.Target == 20);
        feed.Max = 30;
        feed.Min = 25;
        feed.Step().Target.ShouldBe(25);
    }

    [Fact]
    public void Update_OneSizeOnly_NeverMoves()
    {
        var feed = new SampleFeed(new HillClimbingController(), 1, n => 1000) { Max = 1 };
        feed.Run(200).ShouldAllBe(d => d.Target == 1);
    }

    [Fact]
    public void Update_NothingCompletes_HoldsAndAsksForLongerSamples()
    {
        var feed = new SampleFeed(new HillClimbingController(), 8, n => 1000.0 * n);
        feed.Run(10);
        feed.Throughput = _ => 0;
        List<SizeDecision> decisions = feed.Run(60);
        decisions.ShouldAllBe(d => d.Reason != DecisionReason.JumpUp && d.Reason != DecisionReason.JumpDown);
        decisions[^1].NextInterval.ShouldBeGreaterThan(decisions[0].NextInterval);
    }

    [Fact]
    public void Reinitialize_NewSize_ForgetsAndSaysWhy()
    {
        var controller = new HillClimbingController();
        var feed = new SampleFeed(controller, 160, Knee(40));
        feed.Run(40);
        controller.Reinitialize(64, DecisionReason.StallLoan);
        controller.BaseSize.ShouldBe(64);
        feed.Target = 64;
        SizeDecision next = feed.Step();
        next.Target.ShouldBe(64);
        next.Trace.State.ShouldBe("Usual after StallLoan");
        feed.RunUntil(DecisionReason.Wave).Target.ShouldBe(52);
    }

    [Fact]
    public void Reinitialize_NoThreads_Throws()
        => Should.Throw<ArgumentOutOfRangeException>(() => new HillClimbingController().Reinitialize(0, DecisionReason.ManualResize));

    private static Func<int, double> Knee(int knee) => n => 100.0 * Math.Min(n, knee);

    private static Func<int, double> Peak(int peak) => n => n <= peak ? 100.0 * n : 100.0 * peak * peak / n;
}
