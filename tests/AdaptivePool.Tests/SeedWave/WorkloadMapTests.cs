using AdaptivePool.Control;
using AdaptivePool.SeedWave;
using Shouldly;
using Xunit;

namespace AdaptivePool.Tests.SeedWave;

public sealed class WorkloadMapTests
{
    [Fact]
    public void Predict_BetweenTwoPoints_IsOnTheirLine()
    {
        WorkloadMap map = Map(false, (10, 100), (20, 300));
        map.Predict(15).ShouldBe(200);
        map.Predict(12).ShouldBe(140, 1e-9);
        map.Predict(20).ShouldBe(300);
    }

    [Fact]
    public void Predict_OutsideThePoints_IsNotKnown()
    {
        WorkloadMap map = Map(false, (10, 100), (20, 300));
        map.Predict(9).ShouldBe(double.NaN);
        map.Predict(21).ShouldBe(double.NaN);
        Map(false).Predict(5).ShouldBe(double.NaN);
    }

    [Fact]
    public void Predict_Spline_FollowsTheBendWhereTheLineCutsIt()
    {
        (int, double)[] parabola = [.. Enumerable.Range(0, 5).Select(i => 10 + (10 * i)).Select(n => (n, 2000 - Math.Pow(n - 40, 2)))];
        double truth = 2000 - 225;
        double line = Math.Abs(Map(false, parabola).Predict(25) - truth);
        double spline = Math.Abs(Map(true, parabola).Predict(25) - truth);
        line.ShouldBe(25, 1e-9);
        spline.ShouldBeLessThan(line / 2);
    }

    [Fact]
    public void Predict_SplineOverAKnee_DoesNotOvershoot()
    {
        WorkloadMap map = Map(true, (10, 500), (20, 1000), (40, 2000), (80, 2000), (160, 2000));
        for (int n = 10; n <= 160; n++)
        {
            map.Predict(n).ShouldBeInRange(500, 2000 + 1e-6);
        }
    }

    [Fact]
    public void Predict_SplineOfTwoPoints_IsTheLine()
        => Map(true, (10, 100), (20, 300)).Predict(15).ShouldBe(200);

    [Fact]
    public void Learn_MissesTwiceInARow_SaysTheWorkloadChanged()
    {
        WorkloadMap map = Map(false, (10, 1000), (20, 2000));
        map.Learn(15, 1000).ShouldBeFalse("one miss may be chance");
        map.Learn(16, 1000).ShouldBeTrue();
    }

    [Fact]
    public void Learn_HitInBetween_BeginsToCountAgain()
    {
        WorkloadMap map = Map(false, (10, 1000), (20, 2000));
        map.Learn(15, 1000).ShouldBeFalse();
        map.Learn(15, 1700).ShouldBeFalse("within 20 %");
        map.Learn(16, 1000).ShouldBeFalse();
        map.Learn(30, 10).ShouldBeFalse("nothing predicts it");
        map.Learn(12, 100).ShouldBeTrue("a pair that nothing predicts is no hit");
    }

    [Fact]
    public void Learn_Miss_IsNotKept()
    {
        WorkloadMap map = Map(false, (10, 1000), (20, 2000));
        map.Learn(15, 1);
        map.Count.ShouldBe(2);
        map.Predict(15).ShouldBe(1500);
    }

    [Fact]
    public void Learn_KnownSize_IsReplaced()
    {
        WorkloadMap map = Map(false, (10, 1000), (20, 2000));
        map.Learn(10, 1100).ShouldBeFalse();
        map.Count.ShouldBe(2);
        map.Predict(10).ShouldBe(1100);
    }

    [Fact]
    public void Learn_Full_DropsTheOldest()
    {
        var map = new WorkloadMap(3, 0.2, false, 2);
        foreach (int n in new[] { 30, 10, 40, 20 })
        {
            map.Learn(n, 100 * n);
        }

        map.Count.ShouldBe(3);
        map.Predict(30).ShouldBe(3000, "30 was the oldest; the line from 20 to 40 remains");
        map.Predict(10).ShouldBe(1000);
        map.Learn(50, 5000);
        map.Predict(10).ShouldBe(double.NaN);
    }

    [Fact]
    public void Clear_Filled_ForgetsPointsAndMisses()
    {
        WorkloadMap map = Map(false, (10, 1000), (20, 2000));
        map.Learn(15, 1);
        map.Clear();
        map.Count.ShouldBe(0);
        map.Learn(10, 50);
        map.Learn(10, 500).ShouldBeFalse();
    }

    private static WorkloadMap Map(bool isSpline, params (int Size, double Throughput)[] points)
    {
        var map = new WorkloadMap(32, 0.2, isSpline, 2);
        foreach ((int size, double throughput) in points)
        {
            map.Learn(size, throughput).ShouldBeFalse();
        }

        return map;
    }
}
