using AdaptivePool.Control;
using AdaptivePool.SeedWave;
using AdaptivePool.Simulation;
using Shouldly;
using Xunit;

namespace AdaptivePool.Tests.SeedWave;

/// <summary>Every case in which the seed begins again, and its suspension. Leaving Optimized is among the transitions.</summary>
public sealed class SeedWaveSearchReinitializeTests
{
    private readonly HillClimbingController _controller = new(HillClimbingOptions.SeedWave);

    [Fact]
    public void FalseTransition_FromTheProgressOfTheWave_BeginsAgain()
    {
        // The wave would end near 48, but 20 clients cannot use more than 40.
        SampleFeed feed = Feed(60, Peak(48));
        feed.Connections = 20;
        SizeDecision decision = feed.RunUntil(DecisionReason.FalseTransition, 200);
        decision.Trace.State.ShouldBe("Usual after FalseTransition");
        decision.Target.ShouldBeGreaterThan(40);
        decision.Target.ShouldBe(_controller.BaseSize);
        _controller.State.ShouldBe(ControllerState.Usual);
    }

    [Fact]
    public void FalseTransition_FromTheStepsOfThePlateau_BeginsAgain()
    {
        SampleFeed feed = Feed(72, n => 2000);
        feed.Min = 30;
        feed.Connections = 5;
        feed.RunUntil(DecisionReason.Plateau, 100);
        SizeDecision decision = feed.RunUntil(DecisionReason.FalseTransition, 200);
        decision.Trace.State.ShouldBe("Usual after FalseTransition");
        decision.Target.ShouldBe(_controller.BaseSize);
    }

    [Fact]
    public void FalseTransition_EnoughConnections_IsNone()
    {
        SampleFeed feed = Feed(60, Peak(48));
        feed.Connections = 30;
        feed.RunUntil(DecisionReason.Optimized, 200).Target.ShouldBeLessThanOrEqualTo(50);
    }

    [Fact]
    public void WorkloadChange_KnownSizeMissesTwice_BeginsAgain()
    {
        SampleFeed feed = Feed(72, n => 2000);
        feed.Run(33);

        // The rates of the magnitudes of 20 and 40 miss what the one of 10 has shown.
        feed.Throughput = n => 3000;
        SizeDecision decision = feed.RunUntil(DecisionReason.WorkloadChange, 64);
        decision.Target.ShouldBe(72);
        decision.Trace.State.ShouldBe("Usual after WorkloadChange");
        feed.RunUntil(DecisionReason.Wave, 5).Target.ShouldBe(82, "the magnitude begins again as well");
    }

    [Fact]
    public void WorkloadChange_OnAPlateau_BeginsAgain()
    {
        SampleFeed feed = Feed(300, n => 2000);
        feed.RunUntil(DecisionReason.Plateau, 100);
        feed.Throughput = n => 2600;
        feed.RunUntil(DecisionReason.Plateau, 20);
        _controller.State.ShouldBe(ControllerState.Plateau, "one miss at a known size: the next size is not between two known ones");

        var calm = new HillClimbingController(new() { Profile = ControllerProfile.SeedWave, Seed = new() { MissesInARow = 1 } });
        var sensitive = new SampleFeed(calm, 300, n => 2000);
        sensitive.RunUntil(DecisionReason.Plateau, 100);
        sensitive.Throughput = n => 2600;
        sensitive.RunUntil(DecisionReason.WorkloadChange, 20).Target.ShouldBe(300);
        calm.State.ShouldBe(ControllerState.Usual);
    }

    [Fact]
    public void ManualResize_SizeSetByOthers_BeginsAgainThere()
    {
        SampleFeed feed = Feed(30, Peak(48));
        feed.RunUntil(DecisionReason.Optimized, 200);
        feed.Target = 100;
        SizeDecision decision = feed.Step();
        (decision.Reason, decision.Target, _controller.BaseSize).ShouldBe((DecisionReason.ManualResize, 100, 100));
        _controller.State.ShouldBe(ControllerState.Usual);
    }

    [Fact]
    public void ManualResize_BoundsMoved_BeginsAgainInside()
    {
        SampleFeed feed = Feed(72, n => 2000);
        feed.Run(10);
        feed.Max = 50;
        SizeDecision decision = feed.Step();
        decision.Reason.ShouldBe(DecisionReason.ManualResize);
        decision.Target.ShouldBeLessThanOrEqualTo(50);
        feed.Run(50).ShouldAllBe(d => d.Target <= 50);
    }

    [Fact]
    public void ManualResize_BoundInsideTheWave_LowersTheWave()
    {
        SampleFeed feed = Feed(72, n => 2000);
        feed.Run(10);
        feed.Max = 75;
        feed.Step().Reason.ShouldBe(DecisionReason.ManualResize);
        feed.Run(50).Max(d => d.Target).ShouldBe(75);
    }

    [Fact]
    public void NoConnections_HoldsAndBeginsAgainWhenTheyReturn()
    {
        SampleFeed feed = Feed(72, n => 10.0 * n);
        feed.Connections = 500;
        feed.RunUntil(DecisionReason.JumpUp);
        feed.RunUntil(DecisionReason.Wave);
        feed.Connections = 0;
        SizeDecision decision = feed.Step();
        (decision.Reason, decision.Target).ShouldBe((DecisionReason.NoConnections, 82));
        feed.Run(30).ShouldAllBe(d => d.Reason == DecisionReason.NoConnections && d.Target == 82);
        feed.Connections = 500;
        feed.Step().Reason.ShouldBe(DecisionReason.Reinitialized);
        feed.RunUntil(DecisionReason.JumpUp, 20).Target.ShouldBe(92);
    }

    [Fact]
    public void SteepDecline_InAnyState_BeginsAgain()
    {
        SampleFeed feed = Feed(72, n => 2000);
        feed.Run(10);
        feed.Throughput = n => 900;
        SizeDecision decision = feed.Step();
        (decision.Reason, decision.Trace.State).ShouldBe((DecisionReason.SteepDecline, "Usual after SteepDecline"));

        feed.RunUntil(DecisionReason.Plateau, 200);
        feed.Run(4);
        feed.Throughput = n => 400;
        feed.Step().Reason.ShouldBe(DecisionReason.SteepDecline);
        _controller.State.ShouldBe(ControllerState.Usual);
    }

    [Theory]
    [InlineData(999, true)]
    [InlineData(1000, false)]
    public void SteepDecline_MoreThanHalfIsLost_Counts(double left, bool isSteep)
    {
        SampleFeed feed = Feed(72, n => 2000);
        feed.Run(10);
        feed.Throughput = n => left;
        (feed.Step().Reason == DecisionReason.SteepDecline).ShouldBe(isSteep);
    }

    [Fact]
    public void SteepDecline_TheWaveItself_IsNoneAtTheSamePhase()
    {
        // 2 -> 12 -> 2 threads: every second sample of the wave is five sixths below the one before.
        static double Curve(int n) => 1000.0 * n;
        Feed(2, Curve).Run(8).ShouldAllBe(d => d.Reason != DecisionReason.SteepDecline);
        var previous = new HillClimbingController(new() { Profile = ControllerProfile.SeedWave, Seed = new() { CompareWithPreviousSample = true } });
        new SampleFeed(previous, 2, Curve).Run(8).ShouldContain(d => d.Reason == DecisionReason.SteepDecline);
    }

    [Fact]
    public void SteepDecline_OwnJumpDown_IsNone()
    {
        // A cliff met by the controller's own step is not the workload's doing.
        SampleFeed feed = Feed(60, n => n < 50 ? 500 : 2000);
        feed.RunUntil(DecisionReason.Plateau, 100);
        feed.RunUntil(DecisionReason.PlateauLeft, 30);
    }

    [Fact]
    public void Suspended_UnderTheMinimum_HoldsUntilThroughputReturns()
    {
        SampleFeed feed = Feed(72, n => 10.0 * n);
        feed.RunUntil(DecisionReason.Wave);
        feed.Throughput = n => 299;
        List<SizeDecision> held = feed.Run(20);
        held.ShouldAllBe(d => d.Reason == DecisionReason.Suspended && d.Target == 72);
        held[^1].Trace.ShouldBeSameAs(held[^2].Trace);
        feed.Throughput = n => 300;
        feed.Step().Reason.ShouldBe(DecisionReason.Reinitialized, "that is the minimum");
        feed.Throughput = n => 10.0 * n;
        feed.RunUntil(DecisionReason.JumpUp, 20);
    }

    [Fact]
    public void Suspended_RelativeMinimum_DoesNotStopASlowWorkload()
    {
        var relative = new HillClimbingController(new()
        {
            Profile = ControllerProfile.SeedWave,
            Seed = new() { MinAcceptedThroughput = 10, MinThroughputIsPercentOfBest = true, SteepDecline = 1 },
        });
        var feed = new SampleFeed(relative, 72, n => n);
        feed.RunUntil(DecisionReason.JumpUp, 20).Target.ShouldBe(82);
        feed.Throughput = n => 0.05 * n;
        feed.Step().Reason.ShouldBe(DecisionReason.Suspended);
    }

    [Theory]
    [InlineData(false, 92)]
    [InlineData(true, 72)]
    public void Reinitialize_ByItself_KeepsOrResetsTheSize(bool fromInitial, int expected)
    {
        var controller = new HillClimbingController(new() { Profile = ControllerProfile.SeedWave, Seed = new() { RestartFromInitialSize = fromInitial } });
        var feed = new SampleFeed(controller, 72, n => 10.0 * n);
        feed.RunUntil(DecisionReason.JumpUp);
        feed.RunUntil(DecisionReason.JumpUp).Target.ShouldBe(92);
        feed.Run(4);
        feed.Throughput = n => 4.0 * n;
        feed.Step().Target.ShouldBe(expected);
    }

    [Fact]
    public void Reinitialize_ByOthers_ForgetsAndSaysWhy()
    {
        SampleFeed feed = Feed(30, Peak(48));
        feed.RunUntil(DecisionReason.Optimized, 200);
        _controller.Reinitialize(64, DecisionReason.StallLoan);
        (_controller.State, _controller.BaseSize).ShouldBe((ControllerState.Usual, 64));
        feed.Target = 64;
        SizeDecision next = feed.Step();
        next.Target.ShouldBe(74);
        next.Trace.State.ShouldBe("Usual after StallLoan");
    }

    [Fact]
    public void Reinitialize_AfterJumpsUp_ForgetsTheirScale()
    {
        SampleFeed feed = Feed(72, n => 10.0 * n);
        feed.RunUntil(DecisionReason.JumpUp);
        _controller.Reinitialize(300, DecisionReason.ManualResize);
        feed.Target = 300;
        feed.Throughput = n => 1e6 / n;
        feed.RunUntil(DecisionReason.JumpDown, 20).Target.ShouldBeInRange(300 - 51, 300 - 45, "10 threads would be the scale of the jump up");
    }

    [Theory]
    [InlineData(5)]
    [InlineData(6)]
    [InlineData(7)]
    [InlineData(8)]
    public void Reinitialize_SlowerWorkAfterwards_IsNotComparedWithTheOldOne(int samplesBefore)
    {
        var relative = new HillClimbingController(new()
        {
            Profile = ControllerProfile.SeedWave,
            Seed = new() { MinAcceptedThroughput = 10, MinThroughputIsPercentOfBest = true },
        });
        var feed = new SampleFeed(relative, 72, n => 100_000);
        feed.Run(samplesBefore);
        relative.Reinitialize(72, DecisionReason.ManualResize);
        feed.Target = 72;
        feed.Throughput = n => 5_000;
        feed.Run(20).ShouldAllBe(d => d.Reason != DecisionReason.Suspended && d.Reason != DecisionReason.SteepDecline);
    }

    private static Func<int, double> Peak(int peak) => n => n <= peak ? 40.0 * n : 40.0 * peak * peak / n;

    private SampleFeed Feed(int start, Func<int, double> throughput) => new(_controller, start, throughput);
}
