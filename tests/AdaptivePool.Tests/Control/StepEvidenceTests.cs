using AdaptivePool.Control;
using Shouldly;
using Xunit;

namespace AdaptivePool.Tests.Control;

public sealed class StepEvidenceTests
{
    [Fact]
    public void Estimate_NothingAdded_IsThePrior()
    {
        StepEstimate estimate = new StepEvidence(1, 0.5).Estimate(80, 100);
        estimate.Gain.ShouldBe(0);
        estimate.Weight.ShouldBe(0);
        estimate.Deviation.ShouldBe(0.5 * Math.Log(1.25), 1e-12);
    }

    [Fact]
    public void Estimate_ManyObservations_IsTheirMeanWithLessDeviation()
    {
        var evidence = new StepEvidence(1, 0.5);
        for (int i = 0; i < 100; i++)
        {
            evidence.Add(80, 100, i % 2 == 0 ? 0.15 : 0.05, 0.01);
        }

        StepEstimate estimate = evidence.Estimate(80, 100);
        estimate.Gain.ShouldBe(0.1, 0.001);
        estimate.Deviation.ShouldBe(0.01, 0.0005);
    }

    [Fact]
    public void Estimate_OtherStep_IsNotTouched()
    {
        var evidence = new StepEvidence(1, 0.5);
        evidence.Add(80, 100, 0.1, 0.0001);
        evidence.Estimate(100, 125).Weight.ShouldBe(0);
        evidence.Estimate(64, 80).Weight.ShouldBe(0);
    }

    [Fact]
    public void Estimate_PartOfAnObservedStep_SharesItsSlope()
    {
        var evidence = new StepEvidence(1, 0.5);
        evidence.Add(50, 200, Math.Log(4), 0.0001);
        StepEstimate part = evidence.Estimate(160, 200);
        part.Gain.ShouldBe(Math.Log(1.25), 0.01);
        part.Deviation.ShouldBeGreaterThan(evidence.Estimate(50, 200).Deviation / 4);
    }

    [Fact]
    public void Add_LaterObservations_OutweighEarlierOnes()
    {
        var evidence = new StepEvidence(0.9, 0.5);
        for (int i = 0; i < 200; i++)
        {
            evidence.Add(80, 100, -0.2, 0.001);
        }

        for (int i = 0; i < 40; i++)
        {
            evidence.Add(80, 100, 0.2, 0.001);
        }

        evidence.Estimate(80, 100).Gain.ShouldBeGreaterThan(0.18);
    }

    [Fact]
    public void Add_ForVeryLong_StaysFinite()
    {
        var evidence = new StepEvidence(0.9, 0.5);
        for (int i = 0; i < 20_000; i++)
        {
            evidence.Add(80, 100, 0.1, 0.01);
        }

        evidence.Estimate(80, 100).Gain.ShouldBe(0.1, 0.01);
    }

    [Fact]
    public void Fade_ToZero_ForgetsAll()
    {
        var evidence = new StepEvidence(1, 0.5);
        evidence.Add(80, 100, 0.1, 0.01);
        evidence.Fade(0);
        evidence.Estimate(80, 100).Weight.ShouldBe(0);
    }

    [Theory]
    [InlineData(1, 2)]
    [InlineData(30_000, 32_767)]
    [InlineData(1_000_000, 1_200_000)]
    public void Add_ExtremeSizes_AreKept(int low, int high)
    {
        var evidence = new StepEvidence(1, 0.5);
        evidence.Add(low, high, 0.05, 0.0001);
        evidence.Estimate(low, high).Weight.ShouldBeGreaterThan(0);
    }
}
