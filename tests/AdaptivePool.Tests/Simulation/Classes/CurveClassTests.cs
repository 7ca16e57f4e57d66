using AdaptivePool.Control;
using AdaptivePool.Simulation;
using AdaptivePool.Simulation.Controllers;
using AdaptivePool.Simulation.Curves;

namespace AdaptivePool.Tests.Simulation.Classes;

public sealed class CurveClassTests
{
    [Theory]
    [InlineData(2)]
    [InlineData(512)]
    public void RunClass_SleepersOnTwoCores_FindsTheKnee(int start)
    {
        ClimbMetrics metrics = ClimbMetrics.Of(ClimbRun.RunClass(CostCurve.Io200, new(), start, 60));
        metrics.ConvergeSeconds.ShouldBeLessThan(10);
        metrics.ShareOfPeak.ShouldBeGreaterThan(0.95);
    }

    [Fact]
    public void RunClass_PureCpu_KeepsOneThreadMoreThanCores()
    {
        ClimbRun run = ClimbRun.RunClass(CostCurve.Cpu2, new(), 64, 30);
        ClimbMetrics.Of(run).ThreadsLastMinute.ShouldBeLessThan(10);
        run.Points[^1].Target.ShouldBeLessThanOrEqualTo(3);
        run.Events.ShouldContain(static e => e.Reason == DecisionReason.HogCap);
    }

    [Fact]
    public void RunClass_SameSeed_IsTheSameRun()
        => ClimbRun.RunClass(CostCurve.Heavy48, new(), 8, 30).Points.SequenceEqual(ClimbRun.RunClass(CostCurve.Heavy48, new(), 8, 30).Points).ShouldBeTrue();

    [Fact]
    public void RunClass_SizesItStandsBy_AreThoseInForceWhenItRests()
    {
        ClimbRun run = Comparators.Run(Comparators.Ours, CostCurve.Light40, new() { Noise = 0.05 }, 4, 300);
        run.Verified.ShouldNotBeEmpty();
        run.Verified.ShouldAllBe(static v => v.Size >= 1 && v.At > 0);
        int last = run.Verified[^1].Size;
        run.Points.ShouldContain(p => p.Target == last);
    }

    /// <summary>
    /// 16 threads fill the cores that 8 leave idle, and bring a quarter more. As the cores were full the bounds closed behind each trial, and what had been
    /// measured could not be decided: three times in a row, and then never again.
    /// </summary>
    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(3)]
    public void RunClass_TrialFillsTheCores_WhatItProvedIsDecided(int seed)
    {
        ClimbRun run = Comparators.Run(Comparators.Ours, CostCurve.BuiltIn.Single(static c => c.Name == "emu-io"), new() { Noise = 0.1, Seed = seed }, 8, 120);

        run.Curve.Throughput(run.Points[^1].Target).ShouldBeGreaterThan(0.9 * run.Curve.Best);
    }

    /// <summary>
    /// A class may read otherwise at the size that is tried, as one that sleeps does where fewer wait at a lock. Its bounds followed that, the trial was not
    /// within them, was forgotten and made again, once a second for good, with an eighth of the rate lost.
    /// </summary>
    [Theory]
    [InlineData("emu-lock", 512, 1)]
    [InlineData("emu-lock", 2_048, 2)]
    [InlineData("io200", 512, 1)]
    [InlineData("emu-io", 72, 1)]
    [InlineData("tier-2gb", 512, 1)]
    public void RunClass_NobodySetsItsSize_NoTrialIsGivenUpUnmeasured(string curve, int start, int seed)
    {
        foreach (string pool in (string[])[Comparators.Ours, Comparators.InForce])
        {
            ClimbRun run = Comparators.Run(pool, CostCurve.BuiltIn.Single(c => c.Name == curve), new() { Seed = seed }, start, 90);

            run.Events.ShouldNotContain(static e => e.Reason == DecisionReason.ManualResize);
        }
    }
}
