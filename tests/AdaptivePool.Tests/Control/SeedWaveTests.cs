using AdaptivePool.Control;
using AdaptivePool.Tests.Control.Simulation;
using Shouldly;
using Xunit;

namespace AdaptivePool.Tests.Control;

public sealed class SeedWaveTests
{
    [Fact]
    public void Update_Always_WavesUpwardsOnlyEveryTwoSeconds()
    {
        var feed = new SampleFeed(new HillClimbingController(HillClimbingOptions.SeedWave), 72, n => 2000.0);
        List<SizeDecision> decisions = feed.Run(9);
        decisions.Select(d => d.Target).ShouldBe([72, 82, 82, 72, 72, 82, 82, 72, 72]);
        decisions.ShouldAllBe(d => d.NextInterval == TimeSpan.FromSeconds(2));
    }

    [Fact]
    public void Update_NoTrend_MagnitudeGrowsToItsBound()
    {
        var feed = new SampleFeed(new HillClimbingController(HillClimbingOptions.SeedWave), 72, n => 2000.0);
        feed.Run(400).Select(d => d.Target).Where(t => t != 72).Distinct().ShouldBe([82, 92, 112, 152]);
    }

    [Fact]
    public void Update_RisingCurve_AddsTheMagnitude()
    {
        var feed = new SampleFeed(new HillClimbingController(HillClimbingOptions.SeedWave), 72, n => 10.0 * n);
        SizeDecision jump = feed.RunUntil(DecisionReason.JumpUp, 20);
        (jump.Trace.From, jump.Target).ShouldBe((72, 82));
    }

    [Fact]
    public void Update_FallingCurve_JumpsDownInProportion()
    {
        var feed = new SampleFeed(new HillClimbingController(HillClimbingOptions.SeedWave), 300, n => 1e6 / n);
        SizeDecision jump = feed.RunUntil(DecisionReason.JumpDown, 20);

        // No jump up yet: |Re| x magnitude / 0.2, with a normalised real part near -1.
        jump.Target.ShouldBeInRange(300 - 51, 300 - 45);
    }

    [Fact]
    public void Update_AtTheUpperBound_GivesWayToKeepRoomForTheWave()
    {
        var feed = new SampleFeed(new HillClimbingController(HillClimbingOptions.SeedWave), 100, n => 10.0 * n) { Max = 100 };
        feed.Run(50).Select(d => d.Target).Distinct().Order().ShouldBe([90, 100]);
    }

    [Fact]
    public void Update_FewConnections_RefusesTheJump()
    {
        var feed = new SampleFeed(new HillClimbingController(HillClimbingOptions.SeedWave), 72, n => 10.0 * n) { Connections = 10 };
        feed.RunUntil(DecisionReason.FalseJump, 20).Target.ShouldBe(72);
        feed.Target.ShouldBe(72);
    }

    [Theory]
    [InlineData(2)]
    [InlineData(72)]
    [InlineData(128)]
    public void Update_HeavyPatternWithoutNoise_ComesNearTheTop(int start)
    {
        var run = new SimulatedRun(new HillClimbingController(HillClimbingOptions.SeedWave), new SimulatedPool(CostCurve.Heavy48, start, 0.0, 0, 1));
        run.For(600);
        run.For(200).ShouldBeLessThan(0.25);
    }
}
