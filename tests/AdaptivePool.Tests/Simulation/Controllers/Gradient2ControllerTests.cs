using AdaptivePool.Control;
using AdaptivePool.Simulation.Controllers;

namespace AdaptivePool.Tests.Simulation.Controllers;

public sealed class Gradient2ControllerTests
{
    [Fact]
    public void Update_ResponseTimeSteady_GrowsByAFifthOfFour()
    {
        var controller = new Gradient2Controller();
        int target = 20;
        int[] sizes = new int[5];
        for (int i = 0; i < sizes.Length; i++)
        {
            target = controller.Update(Sample(target, 10)).Target;
            sizes[i] = target;
        }

        // 20.8, 21.6, 22.4, 23.2, 24.0 less rounding.
        sizes.ShouldBe([20, 21, 22, 23, 24]);
    }

    [Fact]
    public void Update_ResponseTimeFourTimesAsLong_ShrinksByTheSmoothedGradient()
    {
        var controller = new Gradient2Controller();
        controller.Update(Sample(100, 10)).Target.ShouldBe(100);

        // Long term (10 + 40) / 2 = 25 ms; gradient 1.5 x 25 / 40 = 0.9375; 100.8 x 0.8 + 0.2 (100.8 x 0.9375 + 4) = 100.34.
        controller.Update(Sample(100, 40)).Target.ShouldBe(100);

        // Long term (10 + 40 + 400) / 3 = 150 ms; gradient 0.5625; 100.34 x 0.8 + 0.2 (100.34 x 0.5625 + 4) = 92.36.
        controller.Update(Sample(100, 400)).Target.ShouldBe(92);
    }

    [Fact]
    public void Update_HalfOfTheLimitUnused_Holds()
    {
        var controller = new Gradient2Controller();
        SizeDecision decision = controller.Update(Sample(100, 10) with { Active = 49 });
        (decision.Target, decision.Reason).ShouldBe((100, DecisionReason.Hold));
    }

    private static PoolSample Sample(int target, double milliseconds) => new()
    {
        Elapsed = TimeSpan.FromSeconds(1),
        Completions = 1000,
        Target = target,
        MinTarget = 1,
        MaxTarget = 1000,
        Queued = 10,
        Active = target,
        MeanServiceTime = TimeSpan.FromMilliseconds(milliseconds),
    };
}
