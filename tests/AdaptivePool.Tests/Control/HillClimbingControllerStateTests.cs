using AdaptivePool.Control;
using AdaptivePool.Simulation;

namespace AdaptivePool.Tests.Control;

/// <summary>How the default controller goes from one state to the other, and by which reason one can see it.</summary>
public sealed class HillClimbingControllerStateTests
{
    [Fact]
    public void Update_NothingLeftToGain_RestsAsOptimized()
    {
        var controller = new HillClimbingController();
        var feed = new SampleFeed(controller, 40, Peak(40));
        SizeDecision rest = feed.RunUntil(DecisionReason.Optimized);
        (rest.Target, rest.IsTrial, rest.Trace.State, controller.State).ShouldBe((controller.BaseSize, false, "Optimized", ControllerState.Optimized));
        controller.BaseSize.ShouldBeInRange(38, 41);
        List<SizeDecision> resting = feed.Run(5);
        resting.ShouldAllBe(d => d.Reason == DecisionReason.Hold && d.Target == controller.BaseSize && !d.IsTrial);
    }

    [Fact]
    public void Update_Resting_SamplesAreFourTimesAsLong()
    {
        var controller = new HillClimbingController();
        var feed = new SampleFeed(controller, 40, Peak(40));
        Rest(feed, controller);
        feed.Run(3)[^1].NextInterval.TotalSeconds.ShouldBe(4 * 60 / Peak(40)(controller.BaseSize), 0.005);
    }

    [Fact]
    public void Update_NothingMoves_RestsForGrowingTimes()
    {
        var options = new HillClimbingOptions();
        var controller = new HillClimbingController(options);
        var feed = new SampleFeed(controller, 40, Peak(40));
        var rests = new List<int>();
        int resting = 0;
        for (int i = 0; i < 2500; i++)
        {
            feed.Step();
            if (controller.State == ControllerState.Optimized)
            {
                resting++;
            }
            else if (resting > 0)
            {
                rests.Add(resting);
                resting = 0;
            }
        }

        // Threads that come back from the probe settle first.
        rests.Count.ShouldBeGreaterThan(5);
        for (int i = 0; i < rests.Count; i++)
        {
            int planned = Math.Min(options.MaxRestSamples, options.FirstRestSamples << Math.Min(i, 10));
            rests[i].ShouldBeInRange(planned, planned + 3, $"rest {i}");
        }
    }

    [Fact]
    public void Update_RestIsOver_AsksOneQuestionAndRestsAgain()
    {
        var controller = new HillClimbingController();
        var feed = new SampleFeed(controller, 40, Peak(40));
        feed.Run(600);
        Rest(feed, controller);
        feed.RunUntil(DecisionReason.Wave, 200);
        controller.State.ShouldBeOneOf(ControllerState.Usual, ControllerState.Plateau);
        feed.RunUntil(DecisionReason.Optimized, 20);
    }

    [Fact]
    public void Update_Resting_SharesOneTrace()
    {
        var controller = new HillClimbingController();
        var feed = new SampleFeed(controller, 40, Peak(40));
        feed.Run(1000);
        Rest(feed, controller);
        ControllerTrace first = feed.Step().Trace;
        feed.Run(5).ShouldAllBe(d => ReferenceEquals(d.Trace, first));
    }

    [Fact]
    public void Update_Flat_SearchesThePlateauDownwardsAndMovesForThatReason()
    {
        var controller = new HillClimbingController();
        var feed = new SampleFeed(controller, 40, _ => 2000);
        var states = new HashSet<ControllerState>();
        for (int i = 0; i < 1000; i++)
        {
            SizeDecision decision = feed.Step();
            states.Add(controller.State);
            if (decision.Reason == DecisionReason.Plateau)
            {
                break;
            }
        }

        states.ShouldContain(ControllerState.Usual);
        states.ShouldContain(ControllerState.Plateau);
        controller.BaseSize.ShouldBeLessThan(40);
        feed.Run(3000);
        controller.BaseSize.ShouldBe(1);
    }

    [Fact]
    public void Update_PlateauWithAKnee_StopsThere()
    {
        var controller = new HillClimbingController(new() { MaxDownRatio = 2 });
        var feed = new SampleFeed(controller, 80, n => 100.0 * Math.Min(n, 40));
        feed.Run(4000);
        controller.BaseSize.ShouldBeInRange(39, 46);
    }

    [Fact]
    public void Update_LevelChangesInARest_SearchesAgainAtOnce()
    {
        var controller = new HillClimbingController();
        var feed = new SampleFeed(controller, 40, Peak(40));
        feed.Run(1000);
        Rest(feed, controller);
        feed.Run(20);
        feed.Throughput = n => Peak(40)(n) / 2;
        SizeDecision change = feed.RunUntil(DecisionReason.WorkloadChange, 5);
        (change.Target, controller.State == ControllerState.Optimized).ShouldBe((controller.BaseSize, false));
        feed.RunUntil(DecisionReason.Wave, 5);
    }

    [Fact]
    public void Update_LevelChangesInTheWave_IsSeenThereToo()
    {
        var controller = new HillClimbingController();
        var feed = new SampleFeed(controller, 40, _ => 2000);
        int readings = 0;
        while (readings < 12)
        {
            readings += double.IsNaN(feed.Step().Trace.Gain) ? 0 : 1;
        }

        controller.State.ShouldNotBe(ControllerState.Optimized);
        feed.Throughput = _ => 800;
        feed.RunUntil(DecisionReason.WorkloadChange, 30);
    }

    [Fact]
    public void Update_CurveTurnsRoundUnseenAtTheSize_IsContradictedAndLearnedAnew()
    {
        // The same throughput at 100 threads, and everything below has become better instead of worse.
        var controller = new HillClimbingController();
        var feed = new SampleFeed(controller, 100, n => 100.0 * Math.Min(n, 100)) { Max = 100 };
        feed.Run(1000);
        controller.BaseSize.ShouldBeInRange(95, 100);
        feed.Throughput = n => 1e6 / n;
        feed.Run(1500);
        controller.BaseSize.ShouldBeLessThan(20);
    }

    [Fact]
    public void Update_OneHiccup_MovesNothing()
    {
        // One sample of the probed size completes nothing, and another one ten times as much.
        foreach (double factor in new[] { 0.001, 10 })
        {
            var controller = new HillClimbingController();
            var feed = new SampleFeed(controller, 40, Peak(40));
            feed.Run(1000);
            int size = controller.BaseSize;
            feed.RunUntil(DecisionReason.Wave, 300);
            feed.Step();
            feed.Throughput = n => Peak(40)(n) * factor;
            feed.Step();
            feed.Throughput = Peak(40);
            feed.Run(10);
            controller.BaseSize.ShouldBe(size, $"factor {factor}");
        }
    }

    [Fact]
    public void Update_NothingQueued_SamplesAreFourTimesAsLong()
    {
        var controller = new HillClimbingController();
        var feed = new SampleFeed(controller, 40, Peak(40)) { Queued = 0 };
        feed.Run(3)[^1].NextInterval.TotalSeconds.ShouldBe(4 * 60 / Peak(40)(40), 0.005);
    }

    [Fact]
    public void Update_RestInterruptedByAnEmptyQueue_GoesOnResting()
    {
        var controller = new HillClimbingController();
        var feed = new SampleFeed(controller, 40, Peak(40));
        Rest(feed, controller);
        feed.Queued = 0;
        feed.Run(3).ShouldAllBe(d => d.Reason == DecisionReason.DemandLimited && d.Trace.State == "DemandLimited");
        feed.Queued = 5;
        feed.Step();
        controller.State.ShouldBe(ControllerState.Optimized);
    }

    [Fact]
    public void Update_SearchInterruptedByAnEmptyQueue_GoesOnSearching()
    {
        var controller = new HillClimbingController();
        var feed = new SampleFeed(controller, 40, Peak(40));
        feed.RunUntil(DecisionReason.Wave);
        feed.Queued = 0;
        feed.RunUntil(DecisionReason.DemandLimited, 10);
        feed.Queued = 5;
        feed.Step();
        controller.State.ShouldBe(ControllerState.Usual);
        feed.RunUntil(DecisionReason.Wave, 8);
    }

    // Of few readings a rest comes early, and the next one may lead elsewhere.
    [Fact]
    public void VerifiedSize_FirstRest_IsAskedOnceMoreAndThenVerifiedUntilTheWorkChanges()
    {
        var controller = new HillClimbingController();
        ISizeVerifier verifier = controller;
        var feed = new SampleFeed(controller, 40, Peak(40));
        List<(int Base, int Verified)> rests = [];
        while (verifier.VerifiedSize == 0)
        {
            if (feed.RunUntil(DecisionReason.Optimized, 3000) is { } rest)
            {
                rests.Add((rest.Target, verifier.VerifiedSize));
            }
        }

        rests.Count.ShouldBeGreaterThan(1);
        rests[^1].ShouldBe((rests[^2].Base, rests[^2].Base), "the second rest at one size");
        feed.Run(20);
        verifier.VerifiedSize.ShouldBe(controller.BaseSize);

        feed.Run(1000);
        Rest(feed, controller);
        feed.Run(20);
        feed.Throughput = n => Peak(40)(n) / 2;
        feed.RunUntil(DecisionReason.WorkloadChange, 5);
        verifier.VerifiedSize.ShouldBe(0);
    }

    [Fact]
    public void VerifiedSize_BegunAnewAtTheSameSize_StaysUntilItIsDoubted()
    {
        var controller = new HillClimbingController();
        ISizeVerifier verifier = controller;
        var feed = new SampleFeed(controller, 40, Peak(40));
        feed.Run(1000);
        int size = verifier.VerifiedSize;
        size.ShouldBe(controller.BaseSize);

        controller.Reinitialize(size, DecisionReason.RampVerified);
        verifier.VerifiedSize.ShouldBe(size);

        controller.Reinitialize(size + 1, DecisionReason.RampVerified);
        verifier.VerifiedSize.ShouldBe(0);
        feed.Target = size + 1;
        feed.Run(1000);
        verifier.VerifiedSize.ShouldBe(controller.BaseSize);
        verifier.Doubt();
        verifier.VerifiedSize.ShouldBe(0);
    }

    private static void Rest(SampleFeed feed, HillClimbingController controller)
    {
        for (int i = 0; i < 1000 && controller.State != ControllerState.Optimized; i++)
        {
            feed.Step();
        }

        controller.State.ShouldBe(ControllerState.Optimized);
    }

    private static Func<int, double> Peak(int peak) => n => n <= peak ? 100.0 * n : 100.0 * peak * peak / n;
}
