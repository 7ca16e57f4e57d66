using AdaptivePool.Control;
using AdaptivePool.Simulation;
using Shouldly;
using Xunit;

namespace AdaptivePool.Tests.Control;

public sealed class FixedControllerTests
{
    [Fact]
    public void Update_AnySample_KeepsTheSizeWithinBounds()
    {
        var feed = new SampleFeed(new FixedController(72), 10, n => n * 100);
        feed.Step().Target.ShouldBe(72);
        feed.Max = 50;
        feed.Step().Target.ShouldBe(50);
        feed.Controller.Reinitialize(7, DecisionReason.ManualResize);
        feed.Max = 1024;
        feed.Step().Target.ShouldBe(72);
    }

    [Fact]
    public void Constructor_NoThreads_Throws()
        => Should.Throw<ArgumentOutOfRangeException>(() => new FixedController(0));
}
