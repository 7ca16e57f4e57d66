using AdaptivePool.Control;
using MathNet.Numerics.LinearAlgebra;

namespace AdaptivePool.Tests.Control;

public sealed class CurveBeliefTests
{
    private static readonly StepEstimate s_unknown = new CurveBelief().Estimate(40, 52);

    [Fact]
    public void Estimate_NothingSeen_IsThePrior()
    {
        s_unknown.Gain.ShouldBe(0, 1e-12, "beyond few threads nothing is expected");
        s_unknown.Deviation.ShouldBeInRange(0.1, 0.2);
        StepEstimate few = new CurveBelief().Estimate(2, 8);
        few.Gain.ShouldBe(0.1 * Math.Log(4), 1e-12);
    }

    [Fact]
    public void Observe_OneReading_MovesTheEstimateAndItsNeighboursMostNearIt()
    {
        var belief = new CurveBelief();
        belief.Observe(40, 52, 0.1, 0.0001);
        StepEstimate seen = belief.Estimate(40, 52);
        seen.Gain.ShouldBeInRange(0.095, 0.1);
        seen.Deviation.ShouldBeLessThan(0.011);
        double next = belief.Estimate(52, 67).Gain;
        double distant = belief.Estimate(500, 650).Gain;
        next.ShouldBeInRange(0.03, 0.1);
        distant.ShouldBeInRange(0, next / 3);
    }

    [Fact]
    public void Observe_OneReading_MakesCertainOnlyNearIt()
    {
        var belief = new CurveBelief();
        var prior = new CurveBelief();
        belief.Observe(40, 52, 0, 0.0001);
        double Left(int from, int to) => belief.Estimate(from, to).Deviation / prior.Estimate(from, to).Deviation;
        Left(40, 52).ShouldBeLessThan(0.1);
        Left(52, 67).ShouldBeInRange(0.3, 0.9);
        Left(1000, 1300).ShouldBeInRange(0.99, 1 + 1e-9);
        Left(1, 2).ShouldBeInRange(0.98, 1 + 1e-9);
    }

    [Fact]
    public void Observe_SameReadingFromTheOtherSide_SaysTheSame()
    {
        var belief = new CurveBelief();
        var mirror = new CurveBelief();
        belief.Observe(33, 71, 0.2, 0.002);
        mirror.Observe(71, 33, -0.2, 0.002);
        foreach ((int from, int to) in new[] { (33, 71), (8, 40), (50, 51) })
        {
            StepEstimate step = belief.Estimate(from, to);
            StepEstimate other = mirror.Estimate(from, to);
            StepEstimate back = belief.Estimate(to, from);
            other.Gain.ShouldBe(step.Gain, 1e-12);
            other.Deviation.ShouldBe(step.Deviation, 1e-12);
            back.Gain.ShouldBe(-step.Gain, 1e-12);
            back.Deviation.ShouldBe(step.Deviation, 1e-9);
        }
    }

    [Fact]
    public void Estimate_OneSize_IsNothingForSure() => new CurveBelief().Estimate(77, 77).ShouldBe(new StepEstimate(0, 0));

    [Fact]
    public void Estimate_BetweenTwoNodes_IsOnTheirLine()
    {
        var belief = new CurveBelief();
        belief.Observe(256, 304, 0.1, 0.0001);
        belief.Observe(304, 362, -0.2, 0.0001);
        CurveGrid.Sizes.ToArray().ShouldContain(256);
        CurveGrid.Sizes.ToArray().ShouldContain(304);
        double whole = belief.Estimate(256, 304).Gain;
        double share = Math.Log(280.0 / 256) / Math.Log(304.0 / 256);
        belief.Estimate(256, 280).Gain.ShouldBe(share * whole, 1e-12);
        (belief.Estimate(256, 280).Gain + belief.Estimate(280, 304).Gain).ShouldBe(whole, 1e-12);
    }

    [Fact]
    public void Estimate_BeyondTheGrid_IsThatOfItsEnd()
    {
        var belief = new CurveBelief();
        belief.Observe(20_000, 32_767, 0.3, 0.001);
        belief.Estimate(20_000, int.MaxValue).ShouldBe(belief.Estimate(20_000, 32_767));
    }

    [Fact]
    public void Widen_Whole_GoesBackToThePriorsUncertaintyAndKeepsTheMean()
    {
        var belief = new CurveBelief();
        belief.Observe(40, 52, 0.1, 0.0001);
        double gain = belief.Estimate(40, 52).Gain;
        belief.Widen(0.5);
        belief.Estimate(40, 52).Deviation.ShouldBeInRange(0.6 * s_unknown.Deviation, 0.8 * s_unknown.Deviation);
        belief.Widen(1);
        StepEstimate wide = belief.Estimate(40, 52);
        wide.Gain.ShouldBe(gain);
        wide.Deviation.ShouldBe(s_unknown.Deviation, 1e-12);
    }

    [Fact]
    public void Reset_AfterAReading_GoesBackInMeanAndUncertainty()
    {
        var belief = new CurveBelief();
        belief.Observe(40, 52, 0.1, 0.0001);
        belief.Estimate(40, 52).ShouldNotBe(s_unknown);
        belief.Reset();
        belief.Estimate(40, 52).ShouldBe(s_unknown);
    }

    [Fact]
    public void Observe_ThousandsOfRandomReadings_KeepsEveryVarianceAboveZero()
    {
        const int Seed = 20_261_121;
        var random = new Random(Seed);
        var belief = new CurveBelief();
        for (int i = 0; i < 5000; i++)
        {
            int from = (int)Math.Exp(random.NextDouble() * Math.Log(2048));
            int to = Math.Max(1, (int)(from * Math.Exp((random.NextDouble() - 0.5) * 2)));
            belief.Observe(from, to, random.NextDouble() - 0.5, Math.Pow(10, -6 * random.NextDouble()));
            if (i % 7 == 0)
            {
                belief.Widen(0.002);
            }
        }

        int[] sizes = CurveGrid.Sizes.ToArray();
        for (int i = 0; i < sizes.Length - 1; i++)
        {
            StepEstimate step = belief.Estimate(sizes[i], sizes[i + 1]);
            double.IsFinite(step.Gain).ShouldBeTrue($"seed {Seed}, {sizes[i]}");
            step.Deviation.ShouldBeGreaterThan(0, $"seed {Seed}, {sizes[i]}");
            belief.Estimate(sizes[i + 1], sizes[i]).Deviation.ShouldBe(step.Deviation, 1e-6, $"seed {Seed}, {sizes[i]}");
        }
    }

    /// <summary>The whole posterior at once, m + K H' (H K H' + R)^-1 (y - H m), against one reading after the other.</summary>
    [Fact]
    public void Observe_SomeReadings_IsThePosteriorOfAGaussianProcess()
    {
        (int From, int To, double Contrast, double Variance)[] readings =
        [
            (8, 16, 0.4, 0.01), (16, 24, 0.2, 0.003), (20, 33, -0.05, 0.02), (40, 16, 0.1, 0.001), (300, 100, 0.3, 0.05), (2000, 1999, 0.01, 0.0001),
        ];
        var belief = new CurveBelief();
        Matrix<double> rows = Matrix<double>.Build.Dense(readings.Length, CurveGrid.Sizes.Length);
        for (int i = 0; i < readings.Length; i++)
        {
            belief.Observe(readings[i].From, readings[i].To, readings[i].Contrast, readings[i].Variance);
            rows.SetRow(i, Step(readings[i].From, readings[i].To));
        }

        int count = CurveGrid.Sizes.Length;
        Vector<double> mean = Vector<double>.Build.DenseOfArray(CurvePrior.Rows[^count..].ToArray());
        Matrix<double> prior = Matrix<double>.Build.DenseOfRowMajor(count, count, CurvePrior.Covariance.ToArray());
        Matrix<double> noise = Matrix<double>.Build.DenseOfDiagonalArray([.. readings.Select(r => r.Variance)]);
        Vector<double> seen = Vector<double>.Build.DenseOfEnumerable(readings.Select(r => r.Contrast));
        Matrix<double> gain = prior * rows.Transpose() * ((rows * prior * rows.Transpose()) + noise).Inverse();
        Vector<double> posterior = mean + (gain * (seen - (rows * mean)));
        Matrix<double> covariance = prior - (gain * rows * prior);
        foreach ((int from, int to) in new[] { (8, 16), (1, 2), (16, 40), (33, 45), (100, 280), (1500, 30_000) })
        {
            Vector<double> step = Step(from, to);
            StepEstimate estimate = belief.Estimate(from, to);
            estimate.Gain.ShouldBe(step * posterior, 1e-9, $"{from} to {to}");
            estimate.Deviation.ShouldBe(Math.Sqrt(step * covariance * step), 1e-9, $"{from} to {to}");
        }
    }

    private static Vector<double> Step(int from, int to) => Weights(to) - Weights(from);

    // Where a size lies on the grid, written another way: the share of each of its two neighbours, linear in the logarithm.
    private static Vector<double> Weights(int size)
    {
        int[] sizes = CurveGrid.Sizes.ToArray();
        Vector<double> weights = Vector<double>.Build.Dense(sizes.Length);
        int above = Array.FindIndex(sizes, s => s >= size);
        if (sizes[above] == size)
        {
            weights[above] = 1;
            return weights;
        }

        double share = Math.Log((double)size / sizes[above - 1]) / Math.Log((double)sizes[above] / sizes[above - 1]);
        (weights[above - 1], weights[above]) = (1 - share, share);
        return weights;
    }
}
