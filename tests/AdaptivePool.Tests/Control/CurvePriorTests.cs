using AdaptivePool.Control;
using MathNet.Numerics.LinearAlgebra;

namespace AdaptivePool.Tests.Control;

public sealed class CurvePriorTests
{
    private static readonly Matrix<double> s_covariance =
        Matrix<double>.Build.DenseOfRowMajor(CurveGrid.Sizes.Length, CurveGrid.Sizes.Length, CurvePrior.Covariance.ToArray());

    [Fact]
    public void Covariance_Eigenvalues_ArePositive()
    {
        s_covariance.IsSymmetric().ShouldBeTrue();
        s_covariance.Evd(Symmetricity.Symmetric).EigenValues.Select(e => e.Real).Min().ShouldBeGreaterThan(0);
    }

    [Fact]
    public void Covariance_Integral_IsThatOfTheCorrelationOfTheSlope()
    {
        // The closed formula against a sum over small squares, between two nodes far from each other and one with itself.
        foreach ((int i, int j) in new[] { (3, 20), (10, 50), (30, 31) })
        {
            s_covariance[i, j].ShouldBe(BySum(CurveGrid.Logs[i], CurveGrid.Logs[j]), 2e-3 * s_covariance[i, j]);
        }
    }

    [Fact]
    public void Covariance_DistantSteps_AreNearlyIndependent()
    {
        double StepCovariance(int a, int b, int c, int d) => s_covariance[b, d] - s_covariance[a, d] - s_covariance[b, c] + s_covariance[a, c];
        int last = CurveGrid.Sizes.Length - 1;
        double far = StepCovariance(0, 2, last - 4, last) / Math.Sqrt(StepCovariance(0, 2, 0, 2) * StepCovariance(last - 4, last, last - 4, last));
        double near = StepCovariance(20, 25, 25, 30) / Math.Sqrt(StepCovariance(20, 25, 20, 25) * StepCovariance(25, 30, 25, 30));
        far.ShouldBeInRange(0, 0.01);
        near.ShouldBeInRange(0.5, 1);
    }

    [Fact]
    public void Mean_FewThreads_RisesALittleAndThenNotAtAll()
    {
        double[] mean = CurvePrior.Rows[^CurveGrid.Sizes.Length..].ToArray();
        mean[0].ShouldBe(0);
        mean.Take(16).Zip(mean.Skip(1).Take(15)).ShouldAllBe(p => p.Second > p.First);
        mean.Skip(15).Distinct().ShouldHaveSingleItem().ShouldBeLessThan(0.5);
    }

    private static double BySum(double u, double v)
    {
        const double Deviation = 0.6;
        const double Memory = 1.1;
        const int Steps = 800;
        double sum = 0;
        for (int i = 0; i < Steps; i++)
        {
            for (int j = 0; j < Steps; j++)
            {
                sum += Math.Exp(-Math.Abs((u * (i + 0.5)) - (v * (j + 0.5))) / Steps / Memory);
            }
        }

        return Deviation * Deviation * sum * u * v / (Steps * Steps);
    }
}
