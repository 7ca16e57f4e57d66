using AdaptivePool.Control;
using AdaptivePool.Simulation;
using AdaptivePool.Simulation.Curves;
using AdaptivePool.Tests.Simulation.Generators;
using FsCheck;
using FsCheck.Fluent;

namespace AdaptivePool.Tests.Simulation;

/// <summary>The default controller on curves that nobody has drawn by hand. A failure prints the climb and the seed that repeats it.</summary>
public sealed class RandomClimbTests
{
    private const int Climbs = 100;
    private const int Seed = 20_261_121;
    private static readonly Config s_config = Config.QuickThrowOnFailure.WithMaxTest(Climbs).WithReplay(Seed, 297);

    [Fact]
    public void DefaultController_RandomCurveStartAndNoise_StaysWithinTheBounds()
    {
        List<(RandomClimb Climb, ClimbMetrics Metrics)> seen = [];
        Prop.ForAll(
            RandomClimbs.Climb.ToArbitrary(),
            climb =>
            {
                ClimbMetrics metrics =
                    ClimbMetrics.Of(ClimbRun.Run(new HillClimbingController(), climb.Curve.ToCurve(), climb.Settings, climb.Start, climb.Seconds));
                seen.Add((climb, metrics));
                return metrics.SteadyRegret <= ClimbBounds.WorstSteadyRegret;
            }).Check(s_config);

        double[] steady = [.. seen.Select(s => s.Metrics.SteadyRegret).Order()];
        double[] completions = [.. seen.Select(s => s.Metrics.ConvergeCompletions - (ClimbBounds.ResponseTimes * s.Climb.CompletionsPerResponseTime)).Order()];
        string worst = $"replay ({Seed}, 297)\n" + string.Join('\n',
            seen.OrderByDescending(s => s.Metrics.SteadyRegret).Take(20)
            .Select(s => FormattableString.Invariant($"{100 * s.Metrics.SteadyRegret:F1} % on {s.Climb}")));
        steady[Climbs / 2].ShouldBeLessThanOrEqualTo(ClimbBounds.MedianSteadyRegret, worst);
        steady[95 * Climbs / 100].ShouldBeLessThanOrEqualTo(ClimbBounds.HighSteadyRegret, worst);
        completions[Climbs / 2].ShouldBeLessThanOrEqualTo(ClimbBounds.MedianCompletions, worst);
        seen.Count(s => double.IsFinite(s.Metrics.ConvergeSeconds)).ShouldBeGreaterThanOrEqualTo((int)(ClimbBounds.ConvergedShare * Climbs), worst);
    }

    [Fact]
    public void Of_Seed_IsOneCurveWithinTheRanges()
    {
        RandomCurve.Of(7).ShouldBe(RandomCurve.Of(7));
        RandomCurve[] curves = [.. Enumerable.Range(1, 300).Select(RandomCurve.Of)];
        curves.ShouldAllBe(c => c.Rise >= RandomCurve.LeastRise && c.Rise <= 1 && c.Top >= 1 && c.Top <= RandomCurve.LargestTop
            && c.Scale >= RandomCurve.LeastScale && c.Scale <= RandomCurve.MostScale);
        curves.Count(c => c.Fall == 0).ShouldBeInRange(60, 140);
        curves.Distinct().Count().ShouldBe(300);
    }

    [Fact]
    public void Curves_Generated_HaveOneTopWhereTheySay()
        => Prop.ForAll(
            RandomClimbs.Curve.ToArbitrary(),
            random =>
            {
                CostCurve curve = random.ToCurve();
                bool rises = Enumerable.Range(1, random.Top - 1).All(n => curve.Throughput(n + 1) >= curve.Throughput(n));
                bool falls = Enumerable.Range(random.Top, 1024).All(n => curve.Throughput(n + 1) <= curve.Throughput(n) * (1 + 1e-12));
                return rises && falls && Math.Abs(curve.Best - random.Scale) < 1e-6 * random.Scale && curve.SmallestBestSize <= random.Top;
            }).Check(s_config);
}
