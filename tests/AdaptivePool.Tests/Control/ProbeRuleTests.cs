using AdaptivePool.Control;

namespace AdaptivePool.Tests.Control;

public sealed class ProbeRuleTests
{
    private static readonly HillClimbingOptions s_options = new();
    private static readonly ProbeSituation s_situation = new() { Base = 40, Min = 1, Max = 2048, Utilisation = double.NaN, Noise = 0.001 };

    [Fact]
    public void Choose_AnyBeliefAndSituation_StaysWithinBoundsAndRatios()
    {
        const int Seed = 297;
        var random = new Random(Seed);
        var belief = new CurveBelief();
        for (int i = 0; i < 2000; i++)
        {
            int from = random.Next(1, 600);
            belief.Observe(from, Math.Max(1, (int)(from * (0.3 + random.NextDouble()))), 0.6 * (random.NextDouble() - 0.5), 0.01 * random.NextDouble());
            belief.Widen(0.01);
            int size = random.Next(1, 1000);
            ProbeSituation situation = s_situation with { Base = size, Min = random.Next(1, size + 1), Max = size + random.Next(0, size + 1) };
            Probe probe = ProbeRule.Choose(belief, situation, s_options);
            string seen = $"seed {Seed}, step {i}: {probe.Size} from {situation}";
            probe.Size.ShouldBeInRange(situation.Min, situation.Max, seen);
            ((double)probe.Size).ShouldBeInRange(size / s_options.MaxDownRatio, Math.Max(size + 1, size * s_options.MaxUpRatio), seen);
            probe.Improvement.ShouldBeGreaterThanOrEqualTo(0, seen);
        }
    }

    [Fact]
    public void Choose_NoRoom_IsThePresentSizeWithNothingToGain()
        => ProbeRule.Choose(new(), s_situation with { Min = 40, Max = 40 }, s_options).ShouldBe(new Probe(40, 0));

    [Fact]
    public void Choose_OneThread_MayTryASecondWhateverTheRatio()
        => ProbeRule.Choose(new(), s_situation with { Base = 1 }, s_options).Size.ShouldBe(2);

    [Fact]
    public void Choose_FallingCurve_GoesDown()
    {
        var belief = new CurveBelief();
        belief.Observe(40, 30, 0.2, 0.0001);
        ProbeRule.Choose(belief, s_situation, s_options).Size.ShouldBeLessThan(40);
    }

    [Fact]
    public void Choose_RisingCurve_GoesUpAsFarAsAllowed()
    {
        var belief = new CurveBelief();
        belief.Observe(30, 40, 0.28, 0.0001);
        ProbeRule.Choose(belief, s_situation, s_options).Size.ShouldBe(52);
        ProbeRule.Choose(belief, s_situation, s_options with { MaxUpRatio = 2 }).Size.ShouldBe(80);
        ProbeRule.Choose(belief, s_situation with { Max = 45 }, s_options).Size.ShouldBe(45);
    }

    [Fact]
    public void Choose_FewThreadsPerCore_LooksAheadFourfoldAtMost()
    {
        ProbeSituation few = s_situation with { Base = 4, Min = 4, Cores = 2 };
        ProbeRule.Choose(new(), few, s_options).Size.ShouldBeInRange(6, 16);
        ProbeRule.Choose(new(), few with { Cores = 64 }, s_options).Size.ShouldBeInRange(6, 16, "fourfold at most");
        ProbeRule.Choose(new(), few, s_options with { LookAheadPerCore = 0 }).Size.ShouldBe(5, "1.3 times 4 is less than 6");
        ProbeRule.Choose(new(), few with { Base = 40, Min = 40 }, s_options).Size.ShouldBeInRange(41, 52, "40 threads are over 8 per core");
    }

    [Fact]
    public void Choose_CpuUsedUp_ExpectsLittleOfMoreThreads()
    {
        ProbeSituation upOnly = s_situation with { Min = 40 };
        double unknown = ProbeRule.Choose(new(), upOnly, s_options).Improvement;
        double free = ProbeRule.Choose(new(), upOnly with { Utilisation = 0.5 }, s_options).Improvement;
        double full = ProbeRule.Choose(new(), upOnly with { Utilisation = 0.97 }, s_options).Improvement;
        free.ShouldBe(unknown, "without a size proposed by the model the utilisation says nothing");
        full.ShouldBeLessThan(unknown / 3);
        ProbeRule.Choose(new(), s_situation with { Utilisation = 0.97 }, s_options).Size.ShouldBeLessThan(40);
    }

    [Fact]
    public void Choose_ModelKnowsMore_TriesItsSize()
    {
        ProbeSituation known = s_situation with { Utilisation = 0.3, ModelSize = 134 };
        ProbeRule.Choose(new(), known, s_options).Size.ShouldBe(134);
        ProbeRule.Choose(new(), known with { Max = 100 }, s_options).Size.ShouldBe(100);
    }

    [Fact]
    public void Choose_ModelAgainstMeasurements_GivesWayToThem()
    {
        var belief = new CurveBelief();
        foreach (int size in new[] { 52, 80, 134 })
        {
            belief.Observe(40, size, -0.2, 0.00001);
        }

        ProbeSituation known = s_situation with { Min = 40, Utilisation = 0.3, ModelSize = 134 };
        ProbeRule.Choose(belief, known, s_options).Improvement.ShouldBeLessThan(0.1 * ProbeRule.Choose(new(), known, s_options).Improvement);
    }

    [Fact]
    public void Choose_MoreNoise_PromisesLess()
    {
        double quiet = ProbeRule.Choose(new(), s_situation, s_options).Improvement;
        ProbeRule.Choose(new(), s_situation with { Noise = 1 }, s_options).Improvement.ShouldBeLessThan(quiet);
    }

    [Fact]
    public void Choose_PeakKnownFromAllSides_HasNothingToGain()
    {
        // A peak at a node of the grid, known from all sides.
        const int Top = 39;
        var belief = new CurveBelief();
        int[] sizes = CurveGrid.Sizes.ToArray();
        foreach (int size in sizes.Where(s => s is < 100))
        {
            belief.Observe(Top, size, -Math.Abs(Math.Log(size / (double)Top)), 1e-6);
        }

        CurveGrid.Sizes.ToArray().ShouldContain(Top);
        ProbeRule.Choose(belief, s_situation with { Base = Top }, s_options).Improvement.ShouldBeLessThan(s_options.MinImprovement);
    }
}
