using AdaptivePool.Simulation;
using AdaptivePool.Simulation.Curves;
using AdaptivePool.Simulation.Losses;

namespace AdaptivePool.Tests.Simulation.Losses;

public sealed class LossTests
{
    [Fact]
    public void Of_CurveThatFallsToAHalf_IsWhatTheVerifiedSizeDoesNotGetAnyMore()
    {
        CostCurve half = CostCurve.Formula("half", static n => 0.5 * CostCurve.Light40.Throughput(n));
        SimulationSettings settings = new() { Changes = [new(200, half)] };
        Loss loss = Loss.Of(ClimbRun.RunClass(CostCurve.Light40, settings, 40, 300));
        loss.Share.ShouldBeInRange(0.2, 0.55);
        loss.At.ShouldBeGreaterThan(250);
    }

    [Fact]
    public void Of_ControllerThatVerifiesNothing_IsNotKnown()
        => Loss.Of(ClimbRun.Run(new AdaptivePool.Control.FixedController(8), CostCurve.Light40, new(), 8, 100)).Share.ShouldBe(double.NaN);

    [Fact]
    public void Of_RunThatIsShorterThanTheGrace_IsNotKnown()
        => Loss.Of(ClimbRun.RunClass(CostCurve.Light40, new(), 8, Loss.Grace / 2)).Share.ShouldBe(double.NaN);
}
