using System.Numerics;
using AdaptivePool.SeedWave;
using Shouldly;
using Xunit;

namespace AdaptivePool.Tests.SeedWave;

public sealed class WaveAnalysisTests
{
    private static readonly double[] s_sizes = [10, 14, 14, 10];

    [Fact]
    public void Read_OnePeriodABBA_RealPartIsThePairedContrast()
    {
        double[] y = [101, 117, 125, 109];

        // By hand: Re = (y2 + y3 - y1 - y4) / (2 (B - A)), Im = (y1 + y2 - y3 - y4) / (2 (B - A)).
        WaveReading reading = WaveAnalysis.Read(s_sizes, y, 4);
        reading.Real.ShouldBe((117.0 + 125 - 101 - 109) / 8, 1e-12);
        reading.Imaginary.ShouldBe((101.0 + 117 - 125 - 109) / 8, 1e-12);
    }

    [Fact]
    public void Read_LinearDrift_AddsNothingToTheRealPart()
    {
        double[] still = [100, 120, 120, 100];
        double[] drifting = [100, 120 + 7, 120 + 14, 100 + 21];
        WaveReading without = WaveAnalysis.Read(s_sizes, still, 4);
        WaveReading with = WaveAnalysis.Read(s_sizes, drifting, 4);
        with.Real.ShouldBe(without.Real, 1e-12);
        with.Imaginary.ShouldNotBe(without.Imaginary);
    }

    [Fact]
    public void Read_LinearDriftAtTheOtherPhase_IsSeenAsGain()
    {
        // A A B B: the reason for evaluating once per period at the A B B A phase. Drift s adds 2 s / (B - A).
        WaveReading reading = WaveAnalysis.Read([10, 10, 14, 14], [100, 107, 114, 121], 4);
        reading.Real.ShouldBe(2 * 7.0 / 4, 1e-12);
    }

    [Fact]
    public void Read_ManyPeriods_AveragesThePeriods()
    {
        double[] sizes = [10, 14, 14, 10, 10, 14, 14, 10];
        double[] y = [101, 117, 125, 109, 99, 130, 128, 103];
        double first = WaveAnalysis.Read(sizes.AsSpan(0, 4), y.AsSpan(0, 4), 4).Real;
        double second = WaveAnalysis.Read(sizes.AsSpan(4), y.AsSpan(4), 4).Real;
        WaveAnalysis.Read(sizes, y, 4).Real.ShouldBe((first + second) / 2, 1e-12);
    }

    [Fact]
    public void Elasticity_ProportionalThroughput_IsOne()
        => WaveAnalysis.Read(s_sizes, [1000, 1400, 1400, 1000], 4).Elasticity.ShouldBe(1, 1e-12);

    [Fact]
    public void Elasticity_Plateau_IsZero()
        => WaveAnalysis.Read(s_sizes, [500, 500, 500, 500], 4).Elasticity.ShouldBe(0, 1e-12);

    [Fact]
    public void Elasticity_FallingCurve_IsNegative()
        => WaveAnalysis.Read(s_sizes, [1400, 1000, 1000, 1400], 4).Elasticity.ShouldBeLessThan(-0.9);

    [Fact]
    public void Read_NoWave_IsNotUsable()
        => WaveAnalysis.Read([10, 10, 10, 10], [1, 2, 3, 4], 4).IsUsable.ShouldBeFalse();

    [Fact]
    public void Read_NoCompletions_IsNotUsable()
        => WaveAnalysis.Read(s_sizes, [0, 0, 0, 0], 4).IsUsable.ShouldBeFalse();

    [Fact]
    public void Read_PartOfAPeriod_Throws()
        => Should.Throw<ArgumentException>(() => WaveAnalysis.Read([1, 2, 3], [1, 2, 3], 4));

    [Fact]
    public void Read_DifferentLengths_Throws()
        => Should.Throw<ArgumentException>(() => WaveAnalysis.Read(s_sizes, [1, 2, 3], 4));

    [Theory]
    [InlineData(4)]
    [InlineData(8)]
    [InlineData(12)]
    public void Harmonic_AnySignal_EqualsTheFourierSum(int period)
    {
        var random = new Random(7);
        double[] signal = [.. Enumerable.Range(0, 3 * period).Select(_ => random.NextDouble())];
        Complex expected = Complex.Zero;
        for (int k = 0; k < signal.Length; k++)
        {
            expected += signal[k] * Complex.FromPolarCoordinates(1, -2 * Math.PI * k / period);
        }

        Complex actual = WaveAnalysis.Harmonic(signal, period);
        actual.Real.ShouldBe(expected.Real, 1e-9);
        actual.Imaginary.ShouldBe(expected.Imaginary, 1e-9);
    }

    [Fact]
    public void Harmonic_PeriodUnderTwo_Throws()
        => Should.Throw<ArgumentOutOfRangeException>(() => WaveAnalysis.Harmonic([1, 2], 1));
}
