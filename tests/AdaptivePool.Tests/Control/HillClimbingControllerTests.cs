using AdaptivePool.Control;
using AdaptivePool.Simulation;

namespace AdaptivePool.Tests.Control;

/// <summary>The default controller on samples without noise: the wave, its bounds, and what others do to the pool.</summary>
public sealed class HillClimbingControllerTests
{
    [Fact]
    public void Update_FirstSample_AdoptsTheSizeInForce()
    {
        var controller = new HillClimbingController();
        var feed = new SampleFeed(controller, 40, Knee(40));
        SizeDecision first = feed.Step();
        (first.Reason, first.Target, first.IsTrial).ShouldBe((DecisionReason.Initial, 40, false));
        (controller.BaseSize, controller.State).ShouldBe((40, ControllerState.Usual));
    }

    [Fact]
    public void Update_FirstSampleOutOfBounds_StartsWithinThem()
    {
        var controller = new HillClimbingController();
        new SampleFeed(controller, 40, Knee(40)) { Max = 30 }.Step().Target.ShouldBe(30);
        controller.BaseSize.ShouldBe(30);
    }

    [Fact]
    public void Update_FirstProbe_GoesDownAndSaysSo()
    {
        var feed = new SampleFeed(new HillClimbingController(), 40, Knee(40));
        SizeDecision probe = feed.RunUntil(DecisionReason.Wave);
        probe.Target.ShouldBeInRange(5, 39);
        (probe.Trace.From, probe.Trace.To, probe.Trace.State, probe.IsTrial).ShouldBe((40, probe.Target, "Usual", true));
    }

    [Fact]
    public void Update_OnePeriod_IsABBAWithSettlingSamplesAfterEachChange()
    {
        var feed = new SampleFeed(new HillClimbingController(), 40, Knee(40));
        feed.Step();
        var sizes = new List<int>();
        SizeDecision decision;
        do
        {
            sizes.Add(feed.Target);
            decision = feed.Step();
        }
        while (double.IsNaN(decision.Trace.Gain));

        int probe = sizes.Min();
        sizes[0].ShouldBe(40);
        sizes.Count(s => s == probe).ShouldBeGreaterThan(2, "two samples and those that settle");
        sizes.Distinct().ShouldBe([40, probe]);
        sizes[^1].ShouldBe(40);
        sizes.Zip(sizes.Skip(1)).Count(p => p.First != p.Second).ShouldBe(2);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void Update_NoSettling_PeriodIsFourSamplesAndAClearOneTwo(bool isClear)
    {
        var controller = new HillClimbingController(new() { SettleCompletionsPerThread = 0 });
        var feed = new SampleFeed(controller, 200, isClear ? n => 1e6 / n : _ => 2000);
        List<SizeDecision> decisions = feed.Run(5);
        int probe = decisions[1].Target;
        probe.ShouldBeLessThan(200);
        if (isClear)
        {
            (decisions[2].Reason, controller.BaseSize <= probe).ShouldBe((DecisionReason.JumpDown, true), "the pair A B is enough");
        }
        else
        {
            decisions.Select(d => d.Target).ShouldBe([200, probe, probe, 200, decisions[4].Target]);
            decisions.Select(d => double.IsNaN(d.Trace.Gain)).ShouldBe([true, true, true, true, false]);
        }
    }

    [Fact]
    public void Update_DeepFall_DecidesWithTheFirstSettledSample()
    {
        var controller = new HillClimbingController();
        var feed = new SampleFeed(controller, 512, n => 2e5 / n) { Max = 2048 };
        SizeDecision jump = feed.RunUntil(DecisionReason.JumpDown, 20);
        controller.BaseSize.ShouldBeLessThan(100);
        jump.Trace.Gain.ShouldBeGreaterThan(1);

        // One sample is left out, and the next one decides.
        var again = new SampleFeed(new HillClimbingController(), 512, n => 2e5 / n) { Max = 2048 };
        again.RunUntil(DecisionReason.Wave);
        int steps = 0;
        while (again.Step().Reason != DecisionReason.JumpDown)
        {
            steps++;
        }

        steps.ShouldBe(1);
    }

    [Fact]
    public void Update_ProbedHalfOfTheWave_IsATrialHoweverLongItLasts()
    {
        var controller = new HillClimbingController();
        var feed = new SampleFeed(controller, 40, Knee(90));
        List<SizeDecision> decisions = feed.Run(400);
        decisions.ShouldContain(d => d.IsTrial && d.Reason == DecisionReason.Hold);
        feed.RunUntil(DecisionReason.Wave).IsTrial.ShouldBe(feed.Target != controller.BaseSize);
    }

    [Fact]
    public void Update_SettlingSample_IsIgnored()
    {
        // The sample right after each step up claims that the bigger size were four times as fast.
        double Curve(int n) => 2000;
        var controller = new HillClimbingController();
        var feed = new SampleFeed(controller, 40, Curve);
        int previous = 40;
        for (int i = 0; i < 300; i++)
        {
            bool hasChanged = feed.Target > previous;
            previous = feed.Target;
            feed.Throughput = n => hasChanged && n > controller.BaseSize ? 8000 : Curve(n);
            feed.Step().Reason.ShouldNotBe(DecisionReason.JumpUp);
        }

        controller.BaseSize.ShouldBeLessThanOrEqualTo(40);
    }

    [Fact]
    public void Update_RisingCurve_JumpsUpToTheProvenSize()
    {
        var controller = new HillClimbingController();
        var feed = new SampleFeed(controller, 40, Knee(1000));
        SizeDecision jump = feed.RunUntil(DecisionReason.JumpUp);
        controller.BaseSize.ShouldBe(52);
        jump.Trace.Gain.ShouldBe(Math.Log(1.3), 0.05);
        jump.Trace.Noise.ShouldBeGreaterThan(0);
        jump.Trace.ThroughputPerSecond.ShouldBeGreaterThan(0);
    }

    [Fact]
    public void Update_RisingCurve_NeverTriesMoreThanTheRatioAtOnce()
    {
        var controller = new HillClimbingController();
        var feed = new SampleFeed(controller, 8, Knee(500));
        for (int i = 0; i < 2000; i++)
        {
            int size = controller.BaseSize > 0 ? controller.BaseSize : 8;
            SizeDecision decision = feed.Step();
            int now = Math.Max(size, controller.BaseSize);
            decision.Target.ShouldBeLessThanOrEqualTo(Math.Max(now + 1, (int)(1.3 * now)));
            decision.Target.ShouldBeGreaterThanOrEqualTo((int)(Math.Min(size, controller.BaseSize) / 8.0));
        }

        controller.BaseSize.ShouldBeInRange(400, 640);
    }

    [Fact]
    public void Update_NothingQueued_HoldsAndDoesNotProbe()
    {
        var controller = new HillClimbingController();
        var feed = new SampleFeed(controller, 40, Knee(40)) { Queued = 0 };
        feed.Run(100).ShouldAllBe(d => d.Reason == DecisionReason.DemandLimited && d.Target == 40 && d.Trace.State == "DemandLimited");
        feed.Queued = 10;
        feed.RunUntil(DecisionReason.Wave, 8);
        controller.State.ShouldBe(ControllerState.Usual);
    }

    [Fact]
    public void Update_QueueEmptiesInTheWave_ReturnsToTheBaseSize()
    {
        var feed = new SampleFeed(new HillClimbingController(), 40, Knee(40));
        feed.RunUntil(DecisionReason.Wave);
        feed.Queued = 0;
        SizeDecision back = feed.RunUntil(DecisionReason.DemandLimited, 10);
        (back.Target, back.IsTrial).ShouldBe((40, false));
        feed.Run(20).ShouldAllBe(d => d.Target == 40);
    }

    [Fact]
    public void Update_UpwardProbeEmptiesTheQueue_CountsAsALowerBound()
    {
        // Work arrives a little faster than 40 threads can take it: each probe above empties the queue, and that must not keep the pool at 40 for ever.
        var controller = new HillClimbingController();
        var feed = new SampleFeed(controller, 40, Knee(1000)) { Min = 40 };
        for (int i = 0; i < 200 && controller.BaseSize <= 40; i++)
        {
            feed.Queued = feed.Target > 40 ? 0 : 100;
            feed.Step();
        }

        controller.BaseSize.ShouldBe(52);
    }

    [Fact]
    public void Update_FewConnections_RefusesTheJumpAndRests()
    {
        var controller = new HillClimbingController();
        var feed = new SampleFeed(controller, 40, Knee(1000)) { Connections = 9 };
        SizeDecision refused = feed.RunUntil(DecisionReason.FalseJump);
        (refused.Target, controller.BaseSize, controller.State).ShouldBe((40, 40, ControllerState.Optimized));
        refused.Trace.Gain.ShouldBeGreaterThan(0);
        feed.Run(300);
        controller.BaseSize.ShouldBeLessThanOrEqualTo(45, "0.2 connections per thread");
    }

    [Fact]
    public void Update_SizeChangedByOthers_BeginsAgainThere()
    {
        var controller = new HillClimbingController();
        var feed = new SampleFeed(controller, 40, Knee(40));
        feed.Run(50);
        feed.Target = 300;
        SizeDecision decision = feed.Step();
        (decision.Reason, decision.Target, controller.BaseSize).ShouldBe((DecisionReason.Reinitialized, 300, 300));
        decision.Trace.State.ShouldBe("Usual");
    }

    [Fact]
    public void Update_BoundsClosed_MovesInsideThem()
    {
        var controller = new HillClimbingController();
        var feed = new SampleFeed(controller, 40, Knee(40));
        feed.Run(2);
        feed.Max = 20;
        SizeDecision decision = feed.Step();
        (decision.Reason, decision.Target).ShouldBe((DecisionReason.ManualResize, 20));
        feed.Min = 20;
        feed.Run(100).ShouldAllBe(d => d.Target == 20);
        feed.Max = 30;
        feed.Min = 25;
        feed.Step().Target.ShouldBe(25);
    }

    [Fact]
    public void Update_BoundExcludesTheProbe_TriesAnotherOne()
    {
        var controller = new HillClimbingController();
        var feed = new SampleFeed(controller, 40, Knee(40));
        int probe = feed.RunUntil(DecisionReason.Wave).Target;
        feed.Run(12);
        feed.Min = probe + 5;
        feed.Run(200).ShouldAllBe(d => d.Target >= probe + 5);
        controller.BaseSize.ShouldBeInRange(39, 45);
    }

    [Fact]
    public void Update_OneSizeOnly_NeverMoves()
    {
        var feed = new SampleFeed(new HillClimbingController(), 1, n => 1000) { Max = 1 };
        feed.Run(200).ShouldAllBe(d => d.Target == 1 && !d.IsTrial);
    }

    [Fact]
    public void Update_NothingCompletes_HoldsAndAsksForLongerSamples()
    {
        var controller = new HillClimbingController();
        var feed = new SampleFeed(controller, 8, n => 1000.0 * n);
        feed.Run(2);
        int size = controller.BaseSize;
        feed.Throughput = _ => 0;
        List<SizeDecision> decisions = feed.Run(60);
        decisions[^1].NextInterval.ShouldBeGreaterThan(decisions[0].NextInterval);
        decisions.ShouldAllBe(d => d.NextInterval <= TimeSpan.FromSeconds(30) && d.Target <= 2 * size);
    }

    [Fact]
    public void Reinitialize_NewSize_Forgets()
    {
        var controller = new HillClimbingController();
        var feed = new SampleFeed(controller, 160, Knee(40));
        feed.Run(40);
        controller.Reinitialize(64, DecisionReason.StallLoan);
        controller.BaseSize.ShouldBe(64);
        feed.Target = 64;
        SizeDecision next = feed.Step();
        (next.Target, next.Trace.State).ShouldBe((64, "Usual"));
        feed.RunUntil(DecisionReason.Wave, 20).IsTrial.ShouldBeTrue();
    }

    [Fact]
    public void Reinitialize_WhileResting_SearchesAgain()
    {
        var controller = new HillClimbingController();
        var feed = new SampleFeed(controller, 40, n => n <= 40 ? 100.0 * n : 160_000.0 / n);
        feed.RunUntil(DecisionReason.Optimized);
        int known = controller.BaseSize;
        controller.Reinitialize(known, DecisionReason.WorkloadChange);
        controller.State.ShouldBe(ControllerState.Usual);
        int readings = 0;
        while (controller.State != ControllerState.Optimized)
        {
            readings += double.IsNaN(feed.Step().Trace.Gain) ? 0 : 1;
        }

        readings.ShouldBeGreaterThan(2, "what was learned is forgotten: one question would not do");
    }

    [Fact]
    public void Reinitialize_NoThreads_Throws()
        => Should.Throw<ArgumentOutOfRangeException>(() => new HillClimbingController().Reinitialize(0, DecisionReason.ManualResize));

    private static Func<int, double> Knee(int knee) => n => 100.0 * Math.Min(n, knee);
}
