using AdaptivePool.Control;
using Shouldly;
using Xunit;

namespace AdaptivePool.Tests.Control;

public sealed class StepRuleTests
{
    private static readonly HillClimbingOptions s_options = new();
    private readonly WaveShape _down = WaveShape.Relative(100, WaveSide.Down, 1.25, 4, 1, 1024);
    private readonly WaveShape _up = WaveShape.Relative(100, WaveSide.Up, 1.25, 4, 1, 1024);
    private readonly StepEvidence _evidence = new(1, 0.7);

    [Fact]
    public void Decide_NothingKnown_ProbesDownFirst()
        => Decide().ShouldBe(StepVerdict.ProbeDown);

    [Fact]
    public void Decide_NothingKnownAtTheLowestSize_ProbesUp()
    {
        WaveShape flat = WaveShape.Relative(100, WaveSide.Down, 1.25, 4, 100, 1024);
        StepRule.Decide(flat, _up, _evidence, s_options.UpPatience, 0, 0, s_options).ShouldBe(StepVerdict.ProbeUp);
    }

    [Fact]
    public void Decide_SmallerIsAsGood_GoesDown()
    {
        _evidence.Add(80, 100, 0.0, 1e-6);
        Decide().ShouldBe(StepVerdict.Down);
    }

    [Fact]
    public void Decide_SmallerMayBeAsGood_AsksOn()
    {
        _evidence.Add(80, 100, 0.0, 0.01);
        Decide().ShouldBe(StepVerdict.ProbeDown);
    }

    [Fact]
    public void Decide_SmallerIsWorse_AsksAbove()
    {
        _evidence.Add(80, 100, 0.1, 1e-4);
        Decide().ShouldBe(StepVerdict.ProbeUp);
    }

    [Fact]
    public void Decide_LargerIsProven_GoesUp()
    {
        _evidence.Add(80, 100, 0.2, 1e-4);
        _evidence.Add(100, 125, 0.2, 1e-4);
        Decide().ShouldBe(StepVerdict.Up);
    }

    [Fact]
    public void Decide_SmallGainAboveTwoDeviations_NeedsMoreProofThanASteepOne()
    {
        // Both gains lie 2.2 standard deviations over MinGain.
        _evidence.Add(80, 100, 0.2, 1e-4);
        _evidence.Add(100, 125, 0.017, 0.0045 * 0.0045);
        Decide().ShouldBe(StepVerdict.ProbeUp);
        _evidence.Fade(0);
        _evidence.Add(80, 100, 0.2, 1e-4);
        _evidence.Add(100, 125, 0.17, 0.07 * 0.07);
        Decide().ShouldBe(StepVerdict.Up);
    }

    [Fact]
    public void Decide_LessPatienceGranted_PausesEarlier()
    {
        _evidence.Add(80, 100, 0.05, 1e-4);
        _evidence.Add(100, 125, -0.001, 1e-4);
        StepRule.Decide(_down, _up, _evidence, 12, 6, 0, s_options).ShouldBe(StepVerdict.ProbeUp);
        StepRule.Decide(_down, _up, _evidence, 3, 6, 0, s_options).ShouldBe(StepVerdict.Pause);
    }

    [Fact]
    public void Decide_LargerIsOnlyLikely_AsksOn()
    {
        _evidence.Add(80, 100, 0.05, 1e-4);
        _evidence.Add(100, 125, 0.05, 0.01);
        Decide().ShouldBe(StepVerdict.ProbeUp);
    }

    [Fact]
    public void Decide_BothDecidedAgainst_Stays()
    {
        _evidence.Add(80, 100, 0.1, 1e-4);
        _evidence.Add(100, 125, -0.05, 1e-4);
        Decide().ShouldBe(StepVerdict.Stay);
    }

    [Fact]
    public void Decide_UpwardProbesWithoutPromise_PauseAfterSomePatience()
    {
        _evidence.Add(80, 100, 0.05, 1e-4);
        _evidence.Add(100, 125, -0.001, 1e-4);
        Decide(upPeriods: 0).ShouldBe(StepVerdict.ProbeUp);
        Decide(upPeriods: 4 * s_options.UpPatience).ShouldBe(StepVerdict.Pause);
    }

    [Fact]
    public void Decide_Dip_GoesWhereMoreIsToBeHad()
    {
        _evidence.Add(80, 100, -0.05, 1e-6);
        _evidence.Add(100, 125, 0.2, 1e-6);
        Decide().ShouldBe(StepVerdict.Up);
    }

    [Fact]
    public void Decide_EqualStepsBelowABetterSize_DoNotAddUp()
    {
        // 80 is as good as 100, but 125 is known to give 2 % more: the loss counts from there.
        _evidence.Add(80, 100, 0.0, 1e-6);
        _evidence.Add(100, 125, 0.02, 1e-3);
        Decide().ShouldNotBe(StepVerdict.Down);
    }

    [Fact]
    public void Decide_EveryFifthProbe_AsksTheOtherSide()
    {
        Decide(probes: s_options.OtherSideEvery - 1).ShouldBe(StepVerdict.ProbeUp);
        _evidence.Add(80, 100, 0.1, 1e-4);
        Decide(probes: s_options.OtherSideEvery - 1).ShouldBe(StepVerdict.ProbeDown);
    }

    [Fact]
    public void SideAfterRest_OneSideLessCertain_IsThatSide()
    {
        _evidence.Add(80, 100, 0.1, 1e-6);
        _evidence.Add(100, 125, 0.0, 1e-3);
        StepRule.SideAfterRest(_down, _up, _evidence, 0, s_options).ShouldBe(WaveSide.Up);
        StepRule.SideAfterRest(_down, _up, _evidence, s_options.OtherSideEvery - 1, s_options).ShouldBe(WaveSide.Down);
    }

    [Fact]
    public void SideAfterRest_OneSideClosed_IsTheOther()
    {
        WaveShape flat = WaveShape.Relative(100, WaveSide.Up, 1.25, 4, 1, 100);
        StepRule.SideAfterRest(_down, flat, _evidence, 0, s_options).ShouldBe(WaveSide.Down);
    }

    private StepVerdict Decide(int upPeriods = 0, long probes = 0) => StepRule.Decide(_down, _up, _evidence, s_options.UpPatience, upPeriods, probes, s_options);
}
