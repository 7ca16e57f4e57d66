using AdaptivePool.Control;
using AdaptivePool.Simulation;
using Shouldly;
using Xunit;

namespace AdaptivePool.Tests.SeedWave;

/// <summary>Usual, Plateau and Optimized: staying in each, and the six ways between them.</summary>
public sealed class SeedWaveSearchTransitionTests
{
    private readonly HillClimbingController _controller = new(HillClimbingOptions.SeedWave);

    [Fact]
    public void Usual_TrendFound_StaysUsual()
    {
        SampleFeed feed = Feed(20, n => 100.0 * n);
        feed.RunUntil(DecisionReason.JumpUp);
        _controller.State.ShouldBe(ControllerState.Usual);
        feed.RunUntil(DecisionReason.JumpUp);
        _controller.State.ShouldBe(ControllerState.Usual);
    }

    [Fact]
    public void UsualToPlateau_NoTrendUpToTheGreatestMagnitude()
    {
        SizeDecision decision = Feed(72, n => 2000).RunUntil(DecisionReason.Plateau, 100);
        decision.Target.ShouldBe(72);
        decision.Trace.State.ShouldBe("Plateau");
        _controller.State.ShouldBe(ControllerState.Plateau);
    }

    [Fact]
    public void UsualToOptimized_BracketNarrowerThanEps()
    {
        SampleFeed feed = Feed(30, Peak(48));
        SizeDecision decision = feed.RunUntil(DecisionReason.Optimized, 200);
        decision.Target.ShouldBeInRange(38, 48, "the wave is only upwards: sizes up to one magnitude below the top look as good");
        decision.Trace.State.ShouldBe("Optimized");
        double.IsNaN(decision.Trace.Gain).ShouldBeFalse();
        _controller.State.ShouldBe(ControllerState.Optimized);
    }

    [Fact]
    public void Plateau_NothingLost_StepsDownAndStays()
    {
        SampleFeed feed = Feed(300, n => 2000);
        feed.RunUntil(DecisionReason.Plateau, 100);
        SizeDecision step = feed.RunUntil(DecisionReason.Plateau, 20);
        step.Target.ShouldBe(150);
        feed.RunUntil(DecisionReason.Plateau, 20).Target.ShouldBe(79);
        _controller.State.ShouldBe(ControllerState.Plateau);
    }

    [Fact]
    public void PlateauToUsual_SmallerSizeCostsThroughput()
    {
        SampleFeed feed = Feed(60, Knee(40));
        feed.RunUntil(DecisionReason.Plateau, 100);
        feed.RunUntil(DecisionReason.Plateau, 20).Target.ShouldBe(37);
        SizeDecision left = feed.RunUntil(DecisionReason.PlateauLeft, 20);
        left.Target.ShouldBe(37);
        left.Trace.State.ShouldBe("Usual");
        _controller.State.ShouldBe(ControllerState.Usual);
        feed.RunUntil(DecisionReason.JumpUp, 20).Target.ShouldBe(47);
    }

    [Fact]
    public void PlateauToUsual_ManySmallLosses_AreAddedUp()
    {
        // Each step down costs 3 %: against the last step none of them would ever be too much.
        double Curve(int n) => 10_000 * Math.Pow(0.97, -Math.Log2(n / 1000.0));
        SampleFeed feed = Feed(1000, Curve, new() { ValuableProgress = 100 });
        feed.Max = 2000;
        feed.RunUntil(DecisionReason.PlateauLeft, 300);
        Curve(feed.Target).ShouldBeGreaterThan(9000);
    }

    [Fact]
    public void PlateauToOptimized_NoSmallerSizeLeft()
    {
        SampleFeed feed = Feed(72, n => 2000);
        SizeDecision decision = feed.RunUntil(DecisionReason.Optimized, 400);
        decision.Target.ShouldBeInRange(1, 5);
        _controller.State.ShouldBe(ControllerState.Optimized);
    }

    [Fact]
    public void PlateauToOptimized_KneeBetweenCloseSizes_ReturnsToTheOneAbove()
    {
        // 40 -> 27 is too far; bounds of 25 and 27 are close enough.
        SampleFeed feed = Feed(40, Knee(26));
        feed.Min = 24;
        feed.RunUntil(DecisionReason.Plateau, 100);
        SizeDecision decision = feed.RunUntil(DecisionReason.Optimized, 400);
        decision.Target.ShouldBeInRange(26, 29);
    }

    [Fact]
    public void PlateauToOptimized_SizeAboveIsNoLongerAllowed_GoesToTheGreatestThatIs()
    {
        SampleFeed feed = Feed(60, Knee(40));
        feed.RunUntil(DecisionReason.Plateau, 100);
        feed.RunUntil(DecisionReason.Plateau, 20).Target.ShouldBe(37);
        feed.Max = 40;
        feed.RunUntil(DecisionReason.Optimized, 20).Target.ShouldBe(40);
    }

    [Fact]
    public void Optimized_WithinTheBand_StaysWithoutAWave()
    {
        SampleFeed feed = Feed(30, Peak(48));
        int optimum = feed.RunUntil(DecisionReason.Optimized, 200).Target;
        feed.Step();
        for (int i = 0; i < 200; i++)
        {
            feed.Throughput = n => Peak(48)(n) * (i % 2 == 0 ? 1.15 : 0.9);
            feed.Step().Target.ShouldBe(optimum);
        }

        _controller.State.ShouldBe(ControllerState.Optimized);
    }

    [Fact]
    public void OptimizedToUsual_OneSampleOutsideTheBand()
    {
        SampleFeed feed = Optimized();
        feed.Throughput = n => 1.3 * Peak(48)(n);
        SizeDecision lost = feed.Step();
        lost.Reason.ShouldBe(DecisionReason.OptimumLost);
        lost.Trace.State.ShouldBe("Usual after OptimumLost");
        lost.Target.ShouldBe(_controller.BaseSize);
        _controller.State.ShouldBe(ControllerState.Usual);
        feed.RunUntil(DecisionReason.Wave, 5);
    }

    [Fact]
    public void OptimizedToPlateau_FewerClientsThanThreads()
    {
        SampleFeed feed = Optimized(connections: 100);
        feed.Connections = 30;
        SizeDecision decision = feed.Step();
        decision.Reason.ShouldBe(DecisionReason.Plateau);
        decision.Trace.State.ShouldBe("Plateau after OptimumLost");
        _controller.State.ShouldBe(ControllerState.Plateau);
        feed.Throughput = n => 100.0 * Math.Min(n, 30);
        feed.RunUntil(DecisionReason.Optimized, 300).Target.ShouldBeInRange(25, 35, "the bracket is up to 5 threads wide");
    }

    [Fact]
    public void OptimizedToUsual_OtherNumberOfClients()
    {
        SampleFeed feed = Optimized(connections: 100);
        feed.Connections = 150;
        feed.Step().Reason.ShouldBe(DecisionReason.OptimumLost);
        _controller.State.ShouldBe(ControllerState.Usual);
    }

    [Fact]
    public void OptimizedToUsual_OtherLatency()
    {
        SampleFeed feed = Optimized(latency: 20);
        feed.ServiceTime = TimeSpan.FromMilliseconds(23);
        feed.Step().Reason.ShouldBe(DecisionReason.Hold);
        feed.ServiceTime = TimeSpan.FromMilliseconds(25);
        feed.Step().Reason.ShouldBe(DecisionReason.OptimumLost);
    }

    [Fact]
    public void OptimizedToUsual_SeveralSamplesWanted_WaitsForThem()
    {
        var controller = new HillClimbingController(new() { Profile = ControllerProfile.SeedWave, Seed = new() { SamplesOutOfBand = 3 } });
        var feed = new SampleFeed(controller, 30, Peak(48));
        feed.RunUntil(DecisionReason.Optimized, 200);
        feed.Run(5);
        feed.Throughput = n => 1.3 * Peak(48)(n);
        feed.Run(3).Select(d => d.Reason).ShouldBe([DecisionReason.Hold, DecisionReason.Hold, DecisionReason.OptimumLost]);
    }

    [Fact]
    public void Optimized_LongTime_SharesOneTraceAndAllocatesNothing()
    {
        SampleFeed feed = Optimized();
        feed.Run(50);
        SizeDecision first = feed.Step();
        PoolSample sample = feed.Sample();
        Allocation.Of(() =>
        {
            for (int i = 0; i < 1000; i++)
            {
                _controller.Update(sample);
            }
        }).ShouldBe(0);
        _controller.Update(sample).Trace.ShouldBeSameAs(first.Trace);
    }

    private static Func<int, double> Knee(int knee) => n => 100.0 * Math.Min(n, knee);

    private static Func<int, double> Peak(int peak) => n => n <= peak ? 40.0 * n : 40.0 * peak * peak / n;

    private SampleFeed Feed(int start, Func<int, double> throughput, SeedWaveOptions? options = null)
        => new(options is null ? _controller : new HillClimbingController(new() { Profile = ControllerProfile.SeedWave, Seed = options }), start, throughput);

    private SampleFeed Optimized(int? connections = null, int latency = 0)
    {
        SampleFeed feed = Feed(30, Peak(48));
        feed.Connections = connections;
        feed.ServiceTime = TimeSpan.FromMilliseconds(latency);
        feed.RunUntil(DecisionReason.Optimized, 200);
        feed.Run(5);
        _controller.State.ShouldBe(ControllerState.Optimized);
        return feed;
    }
}
