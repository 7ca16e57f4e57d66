using AdaptivePool.Control;

namespace AdaptivePool.Tests.Control;

public sealed class MoveRuleTests
{
    private const double Sure = 1e-6;

    [Fact]
    public void Utility_HalfTheThreads_AreWorthTheLeastElasticity()
    {
        MoveRule.Utility(0, 80, 40).ShouldBe(0.013 * Math.Log(2), 1e-12);
        MoveRule.Utility(-0.013 * Math.Log(2), 80, 40).ShouldBe(0, 1e-12);
        MoveRule.Utility(0.1, 40, 80).ShouldBe(0.1 - (0.013 * Math.Log(2)), 1e-12);
    }

    [Theory]
    [InlineData(0.0001, 52)]
    [InlineData(0.02, 40)]
    public void Choose_GainAbove_NeedsProof(double variance, int expected)
    {
        // The same reading, a gain of 6 %, once exact and once within its noise.
        var belief = new CurveBelief();
        belief.Observe(40, 52, 0.06, variance);
        Choose(belief, 40, 52).ShouldBe(expected);
    }

    [Theory]
    [InlineData(40, 52)]
    [InlineData(10, 40)]
    public void Choose_NothingSeen_Stays(int size, int probe) => Choose(new(), size, probe).ShouldBe(size);

    [Fact]
    public void Choose_Indifferent_GoesDownButNotUp()
    {
        var belief = new CurveBelief();
        belief.Observe(40, 20, 0, Sure);
        belief.Observe(40, 80, 0, Sure);
        Choose(belief, 40, 20).ShouldBe(20);
        Choose(belief, 40, 80).ShouldBe(40);
    }

    [Fact]
    public void Choose_LossBelow_Stays()
    {
        var belief = new CurveBelief();
        foreach (int size in CurveGrid.Sizes.ToArray().Where(s => s is >= 20 and < 40))
        {
            belief.Observe(40, size, -0.03, Sure);
        }

        Choose(belief, 40, 20).ShouldBe(40);
    }

    [Fact]
    public void Choose_TopBetweenTheSizes_IsFoundThere()
    {
        var belief = new CurveBelief();
        foreach (int size in CurveGrid.Sizes.ToArray().Where(s => s is > 40 and <= 80))
        {
            belief.Observe(40, size, size <= 56 ? Math.Log(size / 40.0) : Math.Log(56 * 56 / 40.0 / size), Sure);
        }

        Choose(belief, 40, 80).ShouldBe(56);
    }

    [Fact]
    public void Choose_BetterBeyondTheWave_StopsAtTheProbe()
    {
        var belief = new CurveBelief();
        belief.Observe(40, 52, 0.3, Sure);
        belief.Observe(52, 80, 0.5, Sure);
        belief.Observe(40, 20, 0.5, Sure);
        Choose(belief, 40, 52).ShouldBe(52);
        Choose(belief, 40, 45).ShouldBe(45);
        Choose(belief, 40, 30).ShouldBe(30);
    }

    [Fact]
    public void Choose_ProbeOutOfBounds_IsNotChosen()
    {
        var belief = new CurveBelief();
        belief.Observe(40, 52, 0.3, Sure);
        MoveRule.Choose(belief, new WaveShape(40, 52, 4), 1, 50, MoveRule.Usual).ShouldBeInRange(40, 50);
        MoveRule.Choose(belief, new WaveShape(40, 52, 4), 1, 40, MoveRule.Usual).ShouldBe(40);
        belief.Observe(40, 20, 0.3, Sure);
        MoveRule.Choose(belief, new WaveShape(40, 20, 4), 30, 2048, MoveRule.Usual).ShouldBeInRange(30, 40);
    }

    [Fact]
    public void Choose_AnyBelief_StaysWithinWaveAndBounds()
    {
        const int Seed = 1728;
        var random = new Random(Seed);
        var belief = new CurveBelief();
        int moves = 0;
        for (int i = 0; i < 2000; i++)
        {
            int size = random.Next(1, 500);
            int probe = random.Next(Math.Max(1, size / 4), (size * 2) + 1);
            belief.Observe(size, probe, 0.5 * (random.NextDouble() - 0.5), 0.001);
            belief.Widen(0.01);
            int min = random.Next(1, size + 1);
            int max = size + random.Next(0, size + 1);
            int chosen = MoveRule.Choose(belief, new WaveShape(size, probe, 4), min, max, MoveRule.Usual);
            chosen.ShouldBeInRange(Math.Max(min, Math.Min(size, probe)), Math.Min(max, Math.Max(size, probe)), $"seed {Seed}, step {i}");
            moves += chosen != size ? 1 : 0;
        }

        moves.ShouldBeInRange(200, 1900);
    }

    [Theory]
    [InlineData(40, 52, 0.06)]
    [InlineData(40, 20, 0.02)]
    public void Choose_SearchHasRested_SizeIsLeftOnStrictProofOnly(int size, int probe, double gain)
    {
        var belief = new CurveBelief();
        belief.Observe(size, probe, gain, 0.0006);
        WaveShape shape = new WaveShape(size, probe, 4);
        MoveRule.Choose(belief, shape, 1, 2048, MoveRule.Usual).ShouldNotBe(size);
        MoveRule.Choose(belief, shape, 1, 2048, MoveRule.AtRest).ShouldBe(size);

        for (int i = 0; i < 10; i++)
        {
            belief.Observe(size, probe, gain, 0.0006);
        }

        MoveRule.Choose(belief, shape, 1, 2048, MoveRule.AtRest).ShouldNotBe(size);
    }

    [Theory]
    [InlineData(40, 52, 0.06)]
    [InlineData(40, 20, 0.02)]
    public void Choose_AfterAlarm_AsksForMoreThanUsualAndLessThanAtRest(int size, int probe, double gain)
    {
        var belief = new CurveBelief();
        WaveShape shape = new WaveShape(size, probe, 4);
        int[] readings = [0, 0, 0];
        MoveProof[] proofs = [MoveRule.Usual, MoveRule.AfterAlarm, MoveRule.AtRest];
        for (int i = 0; i < 20; i++)
        {
            belief.Observe(size, probe, gain, 0.0012);
            for (int k = 0; k < proofs.Length; k++)
            {
                readings[k] += MoveRule.Choose(belief, shape, 1, 2048, proofs[k]) == size ? 1 : 0;
            }
        }

        readings[1].ShouldBeInRange(readings[0] + 1, readings[2] - 1);
    }

    /// <summary>Each step down costs 1 % of throughput for 7 % of threads, less than what one reading can tell: all together they would lose most of
    /// it.</summary>
    [Fact]
    public void Choose_OnePercentLostPerStep_IsNotAcceptedStepAfterStep()
    {
        const double LossPerStep = 0.01;
        const double Noise = 0.02;
        const int Seed = 41;
        var random = new Random(Seed);
        int[] sizes = CurveGrid.Sizes.ToArray();
        int start = Array.IndexOf(sizes, 128);
        int node = start;
        var belief = new CurveBelief();
        for (int i = 0; i < 1000; i++)
        {
            double reading = -LossPerStep + (Noise * Math.Sqrt(-2 * Math.Log(1 - random.NextDouble())) * Math.Cos(2 * Math.PI * random.NextDouble()));
            belief.Observe(sizes[node], sizes[node - 1], reading, Noise * Noise);
            node = Array.IndexOf(sizes, Choose(belief, sizes[node], sizes[node - 1]));
        }

        (start - node).ShouldBeLessThanOrEqualTo(2, $"seed {Seed}: at {sizes[node]}");
    }

    private static int Choose(CurveBelief belief, int size, int probe)
        => MoveRule.Choose(belief, new WaveShape(size, probe, 4), 1, 2048, MoveRule.Usual);
}
