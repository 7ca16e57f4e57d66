using AdaptivePool.Sizing;
using Shouldly;
using Xunit;

namespace AdaptivePool.Tests.Sizing;

public class RateNoiseTests
{
    private readonly RateNoise _noise = new();
    private readonly ScriptedClass _class = new() { Limit = 8 };
    private readonly Random _random = new(1);

    [Fact]
    public void Variance_NothingSeen_IsZero()
    {
        _noise.Variance(1).ShouldBe(0);
        _noise.SecondsFor(0.1).ShouldBe(0);
    }

    [Theory]
    [InlineData(0.1)]
    [InlineData(0.4)]
    public void Variance_RatesDiffer_IsTwiceThatOfIndependentWindows(double deviation)
    {
        Run(40, () => 1_000 * Math.Exp(deviation * Gauss()));

        Math.Sqrt(_noise.Variance(0.1)).ShouldBe(Math.Sqrt(2) * deviation, 0.35 * deviation);
        _noise.Variance(1).ShouldBe(_noise.Variance(0.1) / 10, 1e-9);
        _noise.SecondsFor(Math.Sqrt(_noise.Variance(1))).ShouldBe(1, 1e-9);
    }

    [Fact]
    public void Variance_SteadyRate_IsNearlyZero()
    {
        Run(10, static () => 1_000);

        _noise.Variance(0.1).ShouldBeLessThan(0.001);
    }

    // Another size brings another rate; a pause and an empty queue bring none.
    [Fact]
    public void Variance_SizeChangesOrNothingWaits_DoesNotCount()
    {
        for (int i = 0; i < 20; i++)
        {
            _class.Limit = 8 + (i % 2);
            Run(0.5, () => _class.Limit == 8 ? 1_000 : 4_000);
            _class.Queued = 0;
            Run(0.5, static () => 50);
            _class.Queued = 10;
            _class.Wait(60);
        }

        _noise.Variance(0.1).ShouldBeLessThan(0.001);
    }

    [Fact]
    public void Variance_FewItems_AreCountedForLonger()
    {
        Run(60, static () => 20);

        Math.Sqrt(_noise.Variance(1)).ShouldBeLessThan(0.2);
    }

    private void Run(double seconds, Func<double> rate)
    {
        double carried = 0;
        double perSecond = rate();
        int ticks = (int)Math.Round(seconds / 0.005);
        for (int i = 0; i < ticks; i++)
        {
            // A tenth of a second at a time.
            perSecond = i % 20 == 0 ? rate() : perSecond;
            carried += 0.005 * perSecond;
            int items = (int)carried;
            carried -= items;
            _class.Complete(0.005, items, 0.01);
            _noise.Observe(_class.Observation);
        }
    }

    private double Gauss() => Math.Sqrt(-2 * Math.Log(1 - _random.NextDouble())) * Math.Cos(2 * Math.PI * _random.NextDouble());
}
