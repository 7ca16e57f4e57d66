using AdaptivePool.Control;
using Shouldly;
using Xunit;

namespace AdaptivePool.Tests.Control;

public sealed class WaveShapeTests
{
    [Theory]
    [InlineData(100, 80)]
    [InlineData(10, 8)]
    [InlineData(7, 6)]
    [InlineData(2, 1)]
    public void Relative_Down_DipsByTheRatioAndAtLeastOneThread(int size, int probe)
    {
        WaveShape wave = WaveShape.Relative(size, WaveSide.Down, 1.25, 4, 1, 1024);
        wave.Base.ShouldBe(size);
        wave.Probe.ShouldBe(probe);
        wave.High.ShouldBe(size);
    }

    [Theory]
    [InlineData(100, 125)]
    [InlineData(8, 10)]
    [InlineData(7, 8)]
    [InlineData(1, 2)]
    public void Relative_Up_RisesByTheRatioAtMostOrOneThread(int size, int probe)
    {
        WaveShape wave = WaveShape.Relative(size, WaveSide.Up, 1.25, 4, 1, 1024);
        wave.Base.ShouldBe(size);
        wave.Probe.ShouldBe(probe);
    }

    [Fact]
    public void Relative_AtTheBounds_IsFlat()
    {
        WaveShape.Relative(4, WaveSide.Down, 1.25, 4, 4, 8).IsFlat.ShouldBeTrue();
        WaveShape.Relative(8, WaveSide.Up, 1.25, 4, 4, 8).IsFlat.ShouldBeTrue();
        WaveShape.Relative(1, WaveSide.Down, 1.25, 4, 1, 8).IsFlat.ShouldBeTrue();
    }

    [Fact]
    public void Relative_NearTheBound_StopsAtIt()
        => WaveShape.Relative(100, WaveSide.Up, 1.25, 4, 1, 110).High.ShouldBe(110);

    [Fact]
    public void Relative_AtTheLargestSize_DoesNotOverflow()
        => WaveShape.Relative(int.MaxValue - 1, WaveSide.Up, 1.25, 4, 1, int.MaxValue).High.ShouldBe(int.MaxValue);

    [Fact]
    public void Absolute_AnySize_RisesByThreads()
    {
        WaveShape wave = WaveShape.Absolute(72, 10, 4, 1024);
        (wave.Low, wave.High, wave.Side).ShouldBe((72, 82, WaveSide.Up));
        WaveShape.Absolute(72, 10, 4, 75).High.ShouldBe(75);
    }

    [Fact]
    public void SizeAt_PeriodOfFour_IsABBA()
    {
        WaveShape wave = WaveShape.Relative(100, WaveSide.Down, 1.25, 4, 1, 1024);
        Enumerable.Range(0, 4).Select(wave.SizeAt).ShouldBe([100, 80, 80, 100]);
        Enumerable.Range(0, 4).Select(wave.IsProbe).ShouldBe([false, true, true, false]);
    }

    [Fact]
    public void SizeAt_PeriodOfEight_HasHalvesOfFour()
    {
        WaveShape wave = WaveShape.Relative(100, WaveSide.Up, 1.25, 8, 1, 1024);
        Enumerable.Range(0, 8).Select(wave.SizeAt).ShouldBe([100, 100, 125, 125, 125, 125, 100, 100]);
    }
}
