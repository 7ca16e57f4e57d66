using AdaptivePool.Control;
using AdaptivePool.Simulation.Controllers;

namespace AdaptivePool.Tests.Simulation.Controllers;

public sealed class RateFollowingControllerTests
{
    private readonly RateFollowingController _controller = new();
    private int _target = 4;

    [Fact]
    public void Update_RateAboveAllBefore_IsTheSize()
    {
        Second(arrivals: 3).ShouldBe(4, "three a second are more than none, but the cores are the least");
        Second(700).ShouldBe(700);
        Second(1000).ShouldBe(1000);
        Second(800).ShouldBe(1000, "it never goes down by itself");
        Second(1000).ShouldBe(1000);
        Second(5000).ShouldBe(2000, "the highest size");
    }

    [Fact]
    public void Update_HalfASecond_CountsAsRate() => Sample(_controller, 400, 0.5).Target.ShouldBe(800);

    [Fact]
    public void Update_FollowingDown_IsWhatTheFiguresShow()
    {
        RateFollowingController figures = new(followsDown: true);
        Sample(figures, 1000, 1).Target.ShouldBe(1000);
        SizeDecision down = Sample(figures, 900, 1);
        (down.Target, down.Reason).ShouldBe((900, DecisionReason.JumpUp), "from the four that the sample names");
        Sample(figures, 0, 1).Target.ShouldBe(4);
    }

    [Fact]
    public void Reinitialize_ForgetsTheHighestRate()
    {
        Second(1000).ShouldBe(1000);
        _controller.Reinitialize(10, DecisionReason.ManualResize);
        _target = 10;
        Second(50).ShouldBe(50);
    }

    private int Second(long arrivals) => _target = Sample(_controller, arrivals, 1, _target).Target;

    private static SizeDecision Sample(RateFollowingController controller, long arrivals, double seconds, int target = 4) => controller.Update(new PoolSample
    {
        Elapsed = TimeSpan.FromSeconds(seconds),
        Completions = arrivals,
        Arrivals = arrivals,
        Target = target,
        MinTarget = 4,
        MaxTarget = 2000,
    });
}
