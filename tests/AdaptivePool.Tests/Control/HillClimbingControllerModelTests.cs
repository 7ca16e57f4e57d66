using AdaptivePool.Control;
using Shouldly;
using Xunit;

namespace AdaptivePool.Tests.Control;

public sealed class HillClimbingControllerModelTests
{
    [Fact]
    public void Update_UtilisationKnownAndRising_JumpsToWhereTheMachineIsUsedUp()
    {
        // 0.2 ms of CPU and 20 ms of waiting on 2 cores.
        var controller = new HillClimbingController();
        var feed = new SampleFeed(controller, 60, n => Math.Min(10_000, n / 0.0202)) { Utilisation = n => Math.Min(1, n / 0.0202 / 10_000) };
        SizeDecision jump = feed.RunUntil(DecisionReason.ModelJump);
        jump.Trace.From.ShouldBe(60);
        jump.Target.ShouldBe(202);
        jump.IsTrial.ShouldBeTrue();
        controller.State.ShouldBe(ControllerState.ModelTrial);
        SizeDecision kept = feed.RunUntil(DecisionReason.RampVerified, 20);
        kept.Target.ShouldBe(202);
        kept.IsTrial.ShouldBeFalse();
        kept.Trace.Gain.ShouldBe(Math.Log(10_000 / (60 / 0.0202)), 0.02);
        controller.BaseSize.ShouldBe(202);
    }

    [Fact]
    public void Update_LowUtilisation_JumpsFourTimesAtMost()
    {
        var feed = new SampleFeed(new HillClimbingController(), 8, n => n * 50.0) { Utilisation = n => n / 1000.0 };
        feed.RunUntil(DecisionReason.ModelJump).Target.ShouldBe(32);
    }

    [Fact]
    public void Update_JumpBringsTooLittle_GoesBackAndWaitsBeforeTheNext()
    {
        // A limit at 50 threads that the utilisation knows nothing of.
        var controller = new HillClimbingController();
        var feed = new SampleFeed(controller, 40, n => 100.0 * Math.Min(n, 50)) { Utilisation = _ => 0.1 };
        feed.RunUntil(DecisionReason.ModelJump).Target.ShouldBe(160);
        SizeDecision refused = feed.RunUntil(DecisionReason.RampRefused, 20);
        refused.Target.ShouldBe(40);
        refused.Trace.Gain.ShouldBe(Math.Log(50 / 40.0), 0.02);
        controller.BaseSize.ShouldBe(40);
        feed.Run(1000);
        controller.BaseSize.ShouldBeInRange(50, 62);
    }

    [Fact]
    public void Update_HiddenLimitReached_ModelStaysSilent()
    {
        // From a size that brings nothing above it no proof comes, whatever the utilisation promises.
        var feed = new SampleFeed(new HillClimbingController(), 50, n => 100.0 * Math.Min(n, 50)) { Utilisation = _ => 0.1 };
        feed.Run(1000).ShouldAllBe(d => d.Reason != DecisionReason.ModelJump);
    }

    [Theory]
    [InlineData(0.95)]
    [InlineData(0.0)]
    [InlineData(double.NaN)]
    public void Update_UtilisationHighOrNotKnown_ModelStaysSilent(double utilisation)
    {
        var feed = new SampleFeed(new HillClimbingController(), 8, n => n * 50.0) { Utilisation = _ => utilisation };
        feed.Run(500).ShouldAllBe(d => d.Reason != DecisionReason.ModelJump);
        feed.Target.ShouldBeGreaterThan(8);
    }

    [Fact]
    public void Update_ModelSwitchedOff_ClimbsByTheWaveAlone()
    {
        var feed = new SampleFeed(new HillClimbingController(new() { ModelJump = false }), 8, n => n * 50.0) { Utilisation = _ => 0.1 };
        feed.Run(500).ShouldAllBe(d => d.Reason != DecisionReason.ModelJump);
        feed.Target.ShouldBeGreaterThan(8);
    }

    [Fact]
    public void Update_FewConnections_RefusesTheModelToo()
    {
        var feed = new SampleFeed(new HillClimbingController(), 8, n => n * 50.0) { Utilisation = n => n / 1000.0, Connections = 4 };
        feed.RunUntil(DecisionReason.FalseJump).Target.ShouldBe(8);
        feed.Run(300).ShouldAllBe(d => d.Reason != DecisionReason.ModelJump);
    }
}
