using AdaptivePool.Sensing;

namespace AdaptivePool.Tests.Sensing;

public sealed class CpuShareRuleTests
{
    [Theory]
    [InlineData(new[] { 9 }, 3, new[] { 3 })]
    [InlineData(new[] { 9, 0 }, 3, new[] { 3, 1 })]
    [InlineData(new[] { 9, 9 }, 3, new[] { 2, 1 })]
    [InlineData(new[] { 1, 9 }, 5, new[] { 1, 4 })]
    [InlineData(new[] { 9, 2, 9 }, 9, new[] { 4, 2, 3 })]
    [InlineData(new[] { 5, 5, 5, 5 }, 2, new[] { 1, 1, 1, 1 })]
    public void HogThreads_Demands_AreSharedEvenly(int[] demands, int budget, int[] expected) =>
        Shares(demands, budget).ShouldBe(expected);

    [Fact]
    public void HogThreads_RandomDemands_BoundsHold()
    {
        Random random = new(3);
        for (int round = 0; round < 2_000; round++)
        {
            int[] demands = [.. Enumerable.Range(0, random.Next(1, 9)).Select(_ => random.Next(0, 20))];
            int budget = random.Next(2, 40);
            int[] shares = Shares(demands, budget);

            int hogs = demands.Count(static d => d > 0);
            int used = shares.Where((_, i) => demands[i] > 0).Sum();
            used.ShouldBe(Math.Max(hogs, Math.Min(budget, demands.Sum())), "nothing is given twice, and nothing that is wanted is left over");
            for (int i = 0; i < demands.Length; i++)
            {
                shares[i].ShouldBeInRange(1, Math.Max(1, demands[i]));
            }

            int[] cut = [.. Enumerable.Range(0, demands.Length).Where(i => demands[i] > shares[i]).Select(i => shares[i])];
            (cut.Length == 0 || shares.Max() - cut.Min() <= 1).ShouldBeTrue("who is cut has at most one less than anybody else");
        }
    }

    [Theory]
    [InlineData(2.0, 0.1, 1.9, 0.1)]
    [InlineData(2.0, 0.1, 0.0, 2.0)]
    [InlineData(2.0, 0.5, 1.0, 1.0)]
    [InlineData(2.0, 0.5, 1.9, 0.5)]
    [InlineData(0.2, 0.5, 1.9, 0.2)]
    public void OwnCores_OthersUse_IsNotOurs(double process, double own, double others, double expected) =>
        CpuShareRule.OwnCores(process, own, others).ShouldBe(expected, 1e-9);

    private static int[] Shares(int[] demands, int budget) => [.. Enumerable.Range(0, demands.Length).Select(i => CpuShareRule.HogThreads(demands, i, budget))];
}
