using AdaptivePool.Control;
using Shouldly;
using Xunit;

namespace AdaptivePool.Tests.Control;

public sealed class WaveShapeTests
{
    [Theory]
    [InlineData(100, 80)]
    [InlineData(2, 1)]
    [InlineData(int.MaxValue, 1)]
    public void Create_SmallerProbe_DipsBelowThePresentSize(int size, int probe)
    {
        WaveShape wave = new(size, probe, 4);
        (wave.Base, wave.Probe, wave.Low, wave.High).ShouldBe((size, probe, probe, size));
    }

    [Theory]
    [InlineData(100, 130)]
    [InlineData(1, 2)]
    [InlineData(1, int.MaxValue)]
    public void Create_BiggerProbe_RisesAboveThePresentSize(int size, int probe)
    {
        WaveShape wave = new(size, probe, 4);
        (wave.Base, wave.Probe, wave.Low, wave.High).ShouldBe((size, probe, size, probe));
    }

    [Fact]
    public void Create_SameSize_IsFlat()
    {
        WaveShape wave = new(40, 40, 4);
        (wave.Low, wave.High).ShouldBe((40, 40));
        Enumerable.Range(0, 4).ShouldAllBe(i => wave.SizeAt(i) == 40 && !wave.IsProbe(i));
    }

    [Fact]
    public void Create_SameNumbers_AreTheSameWave()
    {
        new WaveShape(40, 52, 4).ShouldBe(new WaveShape(40, 52, 4));
        new WaveShape(40, 52, 4).ShouldNotBe(new WaveShape(52, 40, 4), "the present size is the other half");
    }

    [Fact]
    public void Absolute_AnySize_RisesByThreads()
    {
        WaveShape wave = WaveShape.Absolute(72, 10, 4, 1024);
        (wave.Base, wave.Low, wave.High).ShouldBe((72, 72, 82));
        WaveShape.Absolute(72, 10, 4, 75).High.ShouldBe(75);
        WaveShape.Absolute(int.MaxValue - 1, 10, 4, int.MaxValue).High.ShouldBe(int.MaxValue);
    }

    [Fact]
    public void SizeAt_PeriodOfFour_IsABBA()
    {
        WaveShape wave = new(100, 80, 4);
        Enumerable.Range(0, 4).Select(wave.SizeAt).ShouldBe([100, 80, 80, 100]);
        Enumerable.Range(0, 4).Select(wave.IsProbe).ShouldBe([false, true, true, false]);
    }

    [Fact]
    public void SizeAt_PeriodOfEight_HasHalvesOfFour()
    {
        WaveShape wave = new(100, 125, 8);
        Enumerable.Range(0, 8).Select(wave.SizeAt).ShouldBe([100, 100, 125, 125, 125, 125, 100, 100]);
    }
}
