using AdaptivePool.Admission;
using AdaptivePool.Control;
using AdaptivePool.SeedWave;
using Shouldly;
using Xunit;

namespace AdaptivePool.Tests.SeedWave;

public sealed class PlateauStepTests
{
    private static readonly PlateauPoint[] s_default = [new(10, 8), new(20, 15)];

    [Fact]
    public void Constructor_PointsOfTheSeed_GiveItsCoefficients()
    {
        // The seed prints k1 = 0.36 and k2 = 0.018.
        double[] k = new PlateauStep(new SeedWaveOptions().PlateauPoints).Coefficients.ToArray();
        k.Length.ShouldBe(2);
        Math.Round(k[0], 2).ShouldBe(0.36);
        Math.Round(k[1], 3).ShouldBe(0.018);

        // By hand: 0.5 + k1 exp(-10 k2) = 0.8 and 0.5 + k1 exp(-20 k2) = 0.75.
        k[1].ShouldBe(Math.Log(0.3 / 0.25) / 10, 1e-6);
        k[0].ShouldBe(0.3 * 0.3 / 0.25, 1e-6);
    }

    [Theory]
    [InlineData("10:8 20:15")]
    [InlineData("10:8 20:16")]
    [InlineData("10:5 20:10")]
    [InlineData("10:4 20:9")]
    [InlineData("10:9 20:16 100:60 500:255")]
    [InlineData("10:9 20:17 60:44 200:120")]
    [InlineData("20:18 50:41 100:74 200:133 400:246 800:462")]
    public void Exact_AtEachPoint_IsWhatThePointSays(string text)
    {
        PlateauPoint[] points = [.. text.Split(' ').Select(p => p.Split(':')).Select(p => new PlateauPoint(int.Parse(p[0], null), int.Parse(p[1], null)))];
        var step = new PlateauStep(points);
        step.Coefficients.Length.ShouldBe(points.Length);
        foreach (PlateauPoint point in points)
        {
            step.Exact(point.Size).ShouldBe(point.NextSize, 1e-4 * point.Size);
        }
    }

    [Theory]
    [InlineData(new[] { 0.3, 0.05 })]
    [InlineData(new[] { 0.2, 0.1, 0.15, 0.004 })]
    [InlineData(new[] { 0.15, 0.2, 0.15, 0.02, 0.1, 0.002 })]
    [InlineData(new[] { 0.1, 0.4, 0.12, 0.06, 0.1, 0.008, 0.08, 0.001 })]
    public void Constructor_PointsOfAKnownSum_FindsOneThatMeetsIt(double[] k)
    {
        double Known(double size) => size * (0.5 + Enumerable.Range(0, k.Length / 2).Sum(i => k[2 * i] * Math.Exp(-k[(2 * i) + 1] * size)));
        PlateauPoint[] points = [.. Enumerable.Range(0, k.Length).Select(i => 5 * Math.Pow(2.5, i)).Select(s => new PlateauPoint(s, Known(s)))];
        var step = new PlateauStep(points);
        points.ShouldAllBe(p => Math.Abs(step.Exact(p.Size) - p.NextSize) < 1e-5 * p.Size);
    }

    [Theory]
    [InlineData(10, 8)]
    [InlineData(20, 15)]
    [InlineData(100, 56)]
    [InlineData(1000, 500)]
    [InlineData(3, 2)]
    [InlineData(2, 1)]
    [InlineData(1, 1)]
    public void Next_DefaultPoints_HalvesLargeSizesAndSparesSmallOnes(int size, int next)
        => new PlateauStep(s_default).Next(size).ShouldBe(next);

    [Fact]
    public void Next_EverySize_IsSmallerAndAtLeastOne()
    {
        var step = new PlateauStep(s_default);
        for (int size = 2; size <= 32767; size++)
        {
            int next = step.Next(size);
            (next >= 1 && next < size).ShouldBeTrue($"{size} -> {next}");
        }
    }

    [Theory]
    [InlineData(10, 6, 20, 15)]
    [InlineData(10, 4, 20, 15)]
    public void Constructor_PointsWithoutSolution_NamesTheOption(int size1, int next1, int size2, int next2)
    {
        // The share grows with the size (or changes its side of one half): no falling exponential does that.
        var options = new HillClimbingOptions { Profile = ControllerProfile.SeedWave, Seed = new() { PlateauPoints = [new(size1, next1), new(size2, next2)] } };
        ArgumentOutOfRangeException error = Should.Throw<ArgumentOutOfRangeException>(() => new HillClimbingController(options));
        error.ParamName.ShouldBe(nameof(SeedWaveOptions.PlateauPoints));
        error.Message.ShouldContain($"({size1};{next1}), ({size2};{next2})");
    }

    [Fact]
    public void Constructor_OfAPoolOrGateWithPointsWithoutSolution_NamesTheOption()
    {
        // A pool makes its controllers on the sizing thread: each of its looks failed, for as long as the pool lived.
        List<PlateauPoint> points = [new(10, 6), new(20, 15)];
        var search = new HillClimbingOptions { Profile = ControllerProfile.SeedWave, Seed = new() { PlateauPoints = points } };
        Action[] all =
        [
            () => new AdaptiveThreadPool(new AdaptivePoolOptions { HillClimbing = search }).Dispose(),
            () => new TransactionGate(new TransactionGateOptions { Adaptive = true, HillClimbing = search }).Dispose(),
        ];
        foreach (Action create in all)
        {
            Should.Throw<ArgumentOutOfRangeException>(create).ParamName.ShouldBe("HillClimbing.Seed.PlateauPoints");
        }

        points.Clear();
        search.Seed.PlateauPoints.Count.ShouldBe(2, "what is altered later must not reach a class to come");
    }
}
