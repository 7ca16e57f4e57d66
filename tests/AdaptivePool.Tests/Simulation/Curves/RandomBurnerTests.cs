using AdaptivePool.Simulation.Curves;

namespace AdaptivePool.Tests.Simulation.Curves;

public sealed class RandomBurnerTests
{
    [Fact]
    public void ToCurve_AsManyThreadsAsCores_AreBestAndAllOfThemCompute()
    {
        CostCurve curve = new RandomBurner(4, 0.002, 0, 0.01).ToCurve();
        curve.Throughput(2).ShouldBe(1_000, 1e-6);
        curve.Throughput(4).ShouldBe(2_000, 1e-6);
        curve.Throughput(8).ShouldBeLessThan(2_000);
        curve.Runnable(8).ShouldBe(8);
    }

    [Fact]
    public void Of_Seed_ReadsAsBurning()
    {
        foreach (RandomBurner work in Enumerable.Range(1, 200).Select(RandomBurner.Of))
        {
            CostCurve curve = work.ToCurve();
            (curve.Runnable(work.Cores) / work.Cores).ShouldBeGreaterThan(0.85, work.ToString());
        }
    }
}
