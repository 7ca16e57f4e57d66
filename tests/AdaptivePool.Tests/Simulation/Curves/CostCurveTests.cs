using AdaptivePool.Simulation.Curves;

namespace AdaptivePool.Tests.Simulation.Curves;

public sealed class CostCurveTests
{
    /// <summary>The best throughput and the smallest best size that the reference notes give; heavy48 is drawn anew, one thread apart.</summary>
    [Theory]
    [InlineData("heavy48", 2000, 47)]
    [InlineData("light40", 2000, 40)]
    [InlineData("postgres", 5026, 15)]
    [InlineData("tier-2gb", 2184, 19)]
    [InlineData("tier-12gb", 5655, 20)]
    [InlineData("tier-32gb", 15_896, 39)]
    [InlineData("cpu2", 10_000, 2)]
    [InlineData("io200", 10_000, 198)]
    [InlineData("emu-io", 1996, 15)]
    [InlineData("emu-lock", 6138, 152)]
    public void BuiltIn_Each_HasTheKnownBest(string name, double best, int size)
    {
        CostCurve curve = CostCurve.BuiltIn.Single(c => c.Name == name);
        curve.Best.ShouldBe(best, 0.5);
        curve.SmallestBestSize.ShouldBe(size);
    }

    [Fact]
    public void Throughput_FractionOfAThread_LiesBetween()
        => CostCurve.Light40.Throughput(8.5).ShouldBe((CostCurve.Light40.Throughput(8) + CostCurve.Light40.Throughput(9)) / 2, 1e-9);

    [Theory]
    [InlineData(1, 1)]
    [InlineData(5000, 100)]
    [InlineData(10_000, 200)]
    [InlineData(20_000, 200)]
    public void SizeFor_Rate_IsTheSmallestSizeThatCarriesIt(double rate, int size) => CostCurve.Io200.SizeFor(rate).ShouldBe(size);

    [Fact]
    public void Runnable_IoBelowAndAboveTheKnee_IsTheCpuInUseAndItsQueue()
    {
        CostCurve.Io200.Runnable(100).ShouldBe(1, 1e-6);
        CostCurve.Io200.Runnable(400).ShouldBe(400 - 198, 1e-6);
        CostCurve.Cpu2.Runnable(200).ShouldBe(200);
        CostCurve.Light40.Runnable(10).ShouldBe(double.NaN);
    }

    [Fact]
    public void Utilisation_AtTheKnee_IsWhole()
    {
        CostCurve.Io200.Utilisation(5000).ShouldBe(0.5, 1e-9);
        CostCurve.Io200.Utilisation(10_000).ShouldBe(1, 1e-9);
        CostCurve.Light40.Utilisation(100).ShouldBe(double.NaN);
    }
}
