using AdaptivePool.Control;
using AdaptivePool.Simulation;

namespace AdaptivePool.Tests.Control;

/// <summary>The model N / utilisation proposes probes; whether the pool moves there is decided by what they bring.</summary>
public sealed class HillClimbingControllerModelTests
{
    private const double MaxUpRatio = 1.3;

    [Fact]
    public void Update_UtilisationKnownAndRising_ProbesWhereTheMachineIsUsedUpAndMovesThere()
    {
        // 0.2 ms of CPU and 20 ms of waiting on 2 cores.
        var controller = new HillClimbingController();
        var feed = new SampleFeed(controller, 60, n => Math.Min(10_000, n / 0.0202)) { Utilisation = n => Math.Min(1, n / 0.0202 / 10_000) };
        SizeDecision probe = feed.RunUntil(DecisionReason.ModelJump);
        (probe.Trace.From, probe.Target, probe.IsTrial, controller.BaseSize).ShouldBe((60, 202, true, 60));
        SizeDecision kept = feed.RunUntil(DecisionReason.JumpUp, 20);
        controller.BaseSize.ShouldBe(202);
        kept.Trace.Gain.ShouldBe(Math.Log(10_000 / (60 / 0.0202)), 0.03);
        feed.Run(500);
        controller.BaseSize.ShouldBeInRange(190, 230);
    }

    [Fact]
    public void Update_LowUtilisation_ProbesFourTimesAtMost()
    {
        var feed = new SampleFeed(new HillClimbingController(), 8, n => n * 50.0) { Utilisation = n => n / 1000.0 };
        feed.RunUntil(DecisionReason.ModelJump).Target.ShouldBe(32);
    }

    [Fact]
    public void Update_ProbeBringsTooLittle_ModelIsNotAskedWhileThatIsKnown()
    {
        // As much at ten times the threads, as a lock behind the pool has it; the utilisation knows nothing of it.
        var controller = new HillClimbingController();
        var feed = new SampleFeed(controller, 40, _ => 3000) { Utilisation = _ => 0.1 };
        feed.RunUntil(DecisionReason.ModelJump);

        feed.Run(3000).ShouldAllBe(d => d.Reason != DecisionReason.ModelJump);

        feed.Target.ShouldBeLessThanOrEqualTo(40);
    }

    [Fact]
    public void Update_HiddenLimit_EndsNearIt()
    {
        // A limit at 50 threads that the utilisation knows nothing of.
        var controller = new HillClimbingController();
        var feed = new SampleFeed(controller, 40, n => 100.0 * Math.Min(n, 50) / (1 + (0.002 * Math.Max(0, n - 50)))) { Utilisation = _ => 0.1 };
        feed.RunUntil(DecisionReason.ModelJump).Target.ShouldBe(160);
        feed.Run(2000);
        controller.BaseSize.ShouldBeInRange(48, 62);
    }

    [Theory]
    [InlineData(0.95)]
    [InlineData(0.0)]
    [InlineData(double.NaN)]
    public void Update_UtilisationHighOrNotKnown_ModelStaysSilent(double utilisation)
    {
        var feed = new SampleFeed(new HillClimbingController(), 8, n => n * 50.0) { Utilisation = _ => utilisation };
        feed.Run(500).ShouldAllBe(d => d.Reason != DecisionReason.ModelJump);
    }

    [Fact]
    public void Update_ModelSwitchedOff_ClimbsByTheWaveAlone()
    {
        var controller = new HillClimbingController(new() { ModelJump = false });
        var feed = new SampleFeed(controller, 8, n => n * 50.0) { Utilisation = _ => 0.1 };
        int previous = 8;
        foreach (SizeDecision decision in feed.Run(300))
        {
            decision.Reason.ShouldNotBe(DecisionReason.ModelJump);
            decision.Target.ShouldBeLessThanOrEqualTo((int)Math.Max(previous + 1, previous * MaxUpRatio * MaxUpRatio));
            previous = Math.Max(previous, decision.Target);
        }

        controller.BaseSize.ShouldBeGreaterThan(100);
    }

    [Fact]
    public void Update_FewConnections_RefusesTheModelToo()
    {
        var controller = new HillClimbingController();
        var feed = new SampleFeed(controller, 8, n => n * 50.0) { Utilisation = n => n / 1000.0, Connections = 4 };
        feed.RunUntil(DecisionReason.FalseJump).Target.ShouldBe(8);
        controller.State.ShouldBe(ControllerState.Optimized);
        feed.Run(300);
        controller.BaseSize.ShouldBeLessThanOrEqualTo(20, "0.2 connections per thread");
    }
}
