using AdaptivePool.Control;
using AdaptivePool.SeedWave;
using AdaptivePool.Simulation;
using Shouldly;
using Xunit;

namespace AdaptivePool.Tests.SeedWave;

/// <summary>The wave and its jumps. The samples are exact, as in the standalone program with which the seed begins its own testing.</summary>
public sealed class SeedWaveSearchTests
{
    [Fact]
    public void Update_Always_WavesUpwardsOnlyEveryTwoSeconds()
    {
        List<SizeDecision> decisions = Feed(72, n => 2000.0).Run(9);
        decisions.Select(d => d.Target).ShouldBe([72, 82, 82, 72, 72, 82, 82, 72, 72]);
        decisions.ShouldAllBe(d => d.NextInterval == TimeSpan.FromSeconds(2));
        decisions.ShouldAllBe(d => d.IsTrial == (d.Target == 82));
    }

    [Fact]
    public void Update_NoTrend_MagnitudeDoublesAfter32SamplesUpToItsBound()
    {
        List<int> targets = [.. Feed(72, n => 2000.0).Run(97).Select(d => d.Target)];
        targets.Take(33).Max().ShouldBe(82);
        targets.Skip(33).Take(32).Max().ShouldBe(92);
        targets.Skip(65).Take(32).Max().ShouldBe(112);
        targets.ShouldNotContain(152, "reaching the greatest magnitude means a plateau, not another wave");
    }

    [Fact]
    public void Update_GrowthAndPatience_AreOptions()
    {
        SampleFeed feed = Feed(72, n => 2000.0, new() { MagnitudeGrowth = 1.5, MagnitudePatience = 12, MaxWaveMagnitude = 40 });
        feed.Run(37).Select(d => d.Target).Distinct().Order().ShouldBe([72, 82, 87, 94]);
    }

    [Fact]
    public void Update_FirstEightSamples_AreNotEvaluated()
    {
        List<SizeDecision> decisions = Feed(72, n => 10.0 * n).Run(9);
        decisions.Take(8).ShouldAllBe(d => double.IsNaN(d.Trace.Gain));
        decisions[8].Reason.ShouldBe(DecisionReason.JumpUp);
    }

    [Fact]
    public void Update_RisingCurve_AddsTheMagnitude()
    {
        SizeDecision jump = Feed(72, n => 10.0 * n).RunUntil(DecisionReason.JumpUp, 20);
        (jump.Trace.From, jump.Target).ShouldBe((72, 82));
    }

    [Fact]
    public void Update_FallingCurve_JumpsDownInProportion()
    {
        // No jump up yet: |Re| x magnitude / 0.2, with a real part near -1.
        Feed(300, n => 1e6 / n).RunUntil(DecisionReason.JumpDown, 20).Target.ShouldBeInRange(300 - 51, 300 - 45);

        // Half the slope, half the jump.
        Feed(300, n => 1e5 / Math.Sqrt(n)).RunUntil(DecisionReason.JumpDown, 20).Target.ShouldBeInRange(300 - 26, 300 - 23);
    }

    [Fact]
    public void Update_FirstDownScaleGiven_IsUsedInstead()
        => Feed(300, n => 1e6 / n, new() { FirstDownScale = 20 }).RunUntil(DecisionReason.JumpDown, 20).Target.ShouldBeInRange(279, 282);

    [Fact]
    public void Update_DownAfterJumpsUp_IsScaledByWhatTheyBrought()
    {
        // Up jumps of 10 threads for a real part of 1: the next jump down of a real part near -1 goes 10 threads, not 50.
        double Curve(int n) => n <= 102 ? 10.0 * n : 10.0 * 102 * 102 / n;
        SampleFeed feed = Feed(72, Curve, new() { ForgetPassedBounds = true });
        SizeDecision down = feed.RunUntil(DecisionReason.JumpDown, 100);
        (down.Trace.From - down.Target).ShouldBeInRange(10, 12);
    }

    [Fact]
    public void Update_LongestJumpDown_IsAnOption()
        => Feed(300, n => 1e6 / n, new() { MaxDownRatio = 1.1 }).RunUntil(DecisionReason.JumpDown, 20).Target.ShouldBe(273);

    [Fact]
    public void Update_TrendTurns_MagnitudeIsTheFirstOneAgain()
    {
        // Nothing to see within 10 threads of 72, a rise within 20, and a fall above 95.
        double Curve(int n) => n <= 84 ? 2000 : n <= 95 ? 2000 + (100.0 * (n - 84)) : Math.Max(500, 3100 - (100.0 * (n - 95)));
        SampleFeed feed = Feed(72, Curve);
        feed.RunUntil(DecisionReason.JumpUp, 60).Target.ShouldBe(92);
        feed.RunUntil(DecisionReason.Wave, 5).Target.ShouldBe(112, "in the same direction the height stays");
        feed.RunUntil(DecisionReason.JumpDown, 20).Target.ShouldBe(82);
        feed.RunUntil(DecisionReason.Wave, 5).Target.ShouldBe(92);
    }

    [Fact]
    public void Update_JumpPastAKnownBound_GoesToTheMiddle()
    {
        // Up from 40 to 50 is right, up from 50 to 60 is not, and the jump down from 50 would end below 40.
        double Curve(int n) => n <= 50 ? 100.0 * n : 5000 - (100.0 * (n - 50));
        SampleFeed feed = Feed(40, Curve);
        feed.RunUntil(DecisionReason.JumpUp, 20).Target.ShouldBe(50);
        feed.RunUntil(DecisionReason.JumpDown, 20).Target.ShouldBe(45);
    }

    [Fact]
    public void Update_AtTheUpperBound_GivesWayToKeepRoomForTheWave()
    {
        SampleFeed feed = Feed(100, n => 10.0 * n);
        feed.Max = 100;
        List<SizeDecision> decisions = feed.Run(200);
        decisions[0].Target.ShouldBe(90);
        decisions.ShouldAllBe(d => d.Target <= 100);
        feed.Target.ShouldBeInRange(96, 100, "and comes back, as the curve rises up to the bound");
    }

    [Fact]
    public void Update_OneSizeOnly_NeverMoves()
    {
        SampleFeed feed = Feed(4, n => 1000);
        feed.Min = 4;
        feed.Max = 4;
        feed.Run(200).ShouldAllBe(d => d.Target == 4);
    }

    [Fact]
    public void Update_FewConnections_RefusesTheJump()
    {
        SampleFeed feed = Feed(72, n => 10.0 * n);
        feed.Connections = 10;
        feed.RunUntil(DecisionReason.FalseJump, 20).Target.ShouldBe(72);
        Feed(72, n => 10.0 * n, new() { MinConnectionsPerThread = 0 }, connections: 10).RunUntil(DecisionReason.JumpUp, 20).Target.ShouldBe(82);
    }

    [Fact]
    public void Update_EveryPeriod_IsReadAtItsEndOnly()
    {
        // A slope of 0.03: four readings after each period instead of one.
        double Curve(int n) => 1e6 * Math.Pow(n, 0.03);
        int Readings(bool oncePerPeriod) => Feed(72, Curve, new() { EvaluateOncePerPeriod = oncePerPeriod }).Run(25).Count(d => !double.IsNaN(d.Trace.Gain));
        Readings(true).ShouldBe(5);
        int everySample = Feed(72, Curve).Run(60).FindIndex(d => d.Reason == DecisionReason.JumpUp);
        int everyPeriod = Feed(72, Curve, new() { EvaluateOncePerPeriod = true, MagnitudePatience = 100 }).Run(60)
            .FindIndex(d => d.Reason == DecisionReason.JumpUp);
        everySample.ShouldBe(8 + 6);
        everyPeriod.ShouldBe(8 + (4 * 6));
    }

    [Fact]
    public void Update_SizeOverThroughput_ReadsTheInverse()
    {
        double Curve(int n) => 1e5 * Math.Sqrt(n);
        Feed(72, Curve).RunUntil(DecisionReason.JumpUp).Trace.Gain.ShouldBe(0.5, 0.01);
        Feed(72, Curve, new() { InvertHarmonicRatio = true }).RunUntil(DecisionReason.JumpUp).Trace.Gain.ShouldBe(2, 0.04);
    }

    [Fact]
    public void Update_Jump_LeavesItsTermsInTheTrace()
    {
        SizeDecision jump = Feed(72, n => 10.0 * n).RunUntil(DecisionReason.JumpUp, 20);
        jump.Trace.State.ShouldBe("Usual");
        jump.Trace.ThroughputPerSecond.ShouldBe(720);
        jump.Trace.Gain.ShouldBe(1, 1e-9);
        jump.Trace.Noise.ShouldBe(0, 1e-9);
        jump.Trace.Confidence.ShouldBe(1);
        jump.Trace.Progress.ShouldBe(1, 1e-9);
    }

    [Fact]
    public void Update_SlowRise_ProgressAddsUpInTheTraces()
    {
        double Curve(int n) => 1e6 * Math.Pow(n, 0.05);
        List<SizeDecision> decisions = [.. Feed(72, Curve).Run(12).Skip(8)];
        decisions.Select(d => Math.Round(d.Trace.Progress, 2)).ShouldBe([0.05, 0.1, 0.15, 0.2]);
        decisions.ShouldAllBe(d => Math.Abs(d.Trace.Gain - 0.05) < 0.001);
    }

    private static SampleFeed Feed(int start, Func<int, double> throughput, SeedWaveOptions? options = null, int? connections = null)
        => new(new HillClimbingController(new() { Profile = ControllerProfile.SeedWave, Seed = options ?? new() }), start,
            throughput) { Connections = connections };
}
