using AdaptivePool.Control;
using AdaptivePool.Simulation;
using AdaptivePool.Simulation.Controllers;
using AdaptivePool.Simulation.Curves;

namespace AdaptivePool.Tests.Simulation;

public sealed class ClimbMetricsTests
{
    private static readonly SimulationSettings s_quiet = new() { Noise = 0 };

    [Fact]
    public void Of_FixedAtTheTop_ConvergedFromTheBeginning()
    {
        ClimbMetrics metrics = Fixed(CostCurve.Heavy48, 48, 48);
        (metrics.ConvergeSeconds, metrics.ConvergeCompletions).ShouldBe((0, 0));
        metrics.Regret.ShouldBe(0, 1e-6);
        metrics.SteadyRegret.ShouldBe(0, 1e-6);
        metrics.ShareOfPeak.ShouldBe(1, 1e-6);
        metrics.ThreadsLastMinute.ShouldBe(48, 1e-9);
        metrics.ThreadsOverBest.ShouldBe(48.0 / 47, 1e-9);
        (metrics.FirstJumpOverBest, metrics.LargestLaterStep, metrics.Peak).ShouldBe((0, 1, 48));
        double.IsNaN(metrics.RecoverSeconds).ShouldBeTrue();
    }

    [Fact]
    public void Of_FixedTooSmall_NeverConverges()
    {
        ClimbMetrics metrics = Fixed(CostCurve.Heavy48, 24, 24);
        metrics.ConvergeSeconds.ShouldBe(double.PositiveInfinity);
        metrics.Regret.ShouldBe(1 - (1350.0 / 2000), 1e-6);
    }

    [Fact]
    public void Of_OneStepUp_CountsFromThereAndAsFirstJump()
    {
        // 1 -> 200 threads of io200 at 0.1 s: R is 20 ms, 0.95 X* is reached 3 R later; one thread did 5 items before.
        ClimbMetrics metrics = Fixed(CostCurve.Io200, 1, 200);
        metrics.ConvergeSeconds.ShouldBe(0.2, 0.011);
        metrics.ConvergeCompletions.ShouldBe(5 + 800, 30);
        metrics.FirstJumpOverBest.ShouldBe(200.0 / 198, 1e-9);
        metrics.LargestLaterStep.ShouldBe(1);
    }

    [Fact]
    public void Of_LaterStepBeyondTheBest_IsRelatedToTheBestOrThePlaceBefore()
    {
        ClimbMetrics metrics = ClimbMetrics.Of(ClimbRun.Run(new Steps(20, 60, 90, 30, 90), CostCurve.Light40, s_quiet, 10, 30));
        metrics.FirstJumpOverBest.ShouldBe(20.0 / 40);
        metrics.LargestLaterStep.ShouldBe(90.0 / 40);
        metrics.Peak.ShouldBe(90);
    }

    [Fact]
    public void Of_WorkloadChange_RecoveryCountsFromIt()
    {
        ClimbRun run = ClimbRun.Run(present => new OracleController(present), CostCurve.Light40, s_quiet with { Changes = [new(30, CostCurve.Io200)] }, 40, 60);
        ClimbMetrics metrics = ClimbMetrics.Of(run);
        metrics.ConvergeSeconds.ShouldBe(0);
        metrics.RecoverSeconds.ShouldBeInRange(0.05, 0.3);
        metrics.RecoverCompletions.ShouldBeInRange(100, 3000);
        metrics.ThreadsOverBest.ShouldBeLessThan(1);
        metrics.Regret.ShouldBeInRange(0.005, 0.02);
    }

    [Fact]
    public void Of_TooLittleTimeLeft_IsNoConvergence()
        => ClimbMetrics.Of(ClimbRun.Run(new FixedController(48), CostCurve.Heavy48, s_quiet, 48, 9)).ConvergeSeconds.ShouldBe(double.PositiveInfinity);

    [Fact]
    public void Of_DemandLimited_PossibleIsTheDemand()
    {
        ClimbMetrics metrics = ClimbMetrics.Of(ClimbRun.Run(new FixedController(20), CostCurve.Light40, s_quiet with { ArrivalsPerSecond = 500 }, 20, 60));
        metrics.Regret.ShouldBe(0, 0.001);
        metrics.ConvergeSeconds.ShouldBe(0);
        metrics.ThreadsOverBest.ShouldBe(2, 1e-9);
        ClimbMetrics.Of(ClimbRun.Run(new FixedController(5), CostCurve.Light40, s_quiet with { ArrivalsPerSecond = 500 }, 5, 60)).Regret.ShouldBe(0.5, 0.001);
    }

    [Theory]
    [InlineData(0)]
    [InlineData(2049)]
    public void Run_SizeOutOfBounds_IsRefused(int size)
        => Should.Throw<InvalidOperationException>(() => ClimbRun.Run(new Steps(size), CostCurve.Light40, s_quiet, 10, 30)).Message.ShouldContain("1 to 2048");

    private static ClimbMetrics Fixed(CostCurve curve, int start, int size)
        => ClimbMetrics.Of(ClimbRun.Run(new FixedController(size), curve, s_quiet, start, 120));

    private sealed class Steps(params int[] sizes) : IPoolController
    {
        private int _next;

        public SizeDecision Update(in PoolSample sample)
        {
            int size = sizes[Math.Min(_next++, sizes.Length - 1)];
            return new(size, TimeSpan.FromSeconds(1), DecisionReason.Wave, new ControllerTrace { From = sample.Target, To = size });
        }

        public void Reinitialize(int target, DecisionReason reason)
        {
            // A list has nothing to forget.
        }
    }
}
