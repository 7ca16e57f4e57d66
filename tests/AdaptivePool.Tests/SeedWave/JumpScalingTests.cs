using AdaptivePool.Control;
using AdaptivePool.SeedWave;
using Shouldly;
using Xunit;

namespace AdaptivePool.Tests.SeedWave;

public sealed class JumpScalingTests
{
    [Fact]
    public void Down_NoEarlierJump_ScalesByMagnitudeOverProgress()
        => new JumpScaling().Down(-0.5, 10, 0.2, 1000).ShouldBe(25, 1e-9);

    [Fact]
    public void Down_EarlierJumps_ScalesByWhatTheyBrought()
    {
        var scaling = new JumpScaling();
        scaling.Add(10, 0.5);
        scaling.Add(40, 1);
        scaling.Down(-0.6, 10, 0.2, 1000).ShouldBe(0.6 * 30, 1e-9);
    }

    [Fact]
    public void Down_SmallRealPart_JumpsAtLeastWhatWasTested()
        => new JumpScaling().Down(-0.01, 10, 0.2, 1000).ShouldBe(10);

    [Fact]
    public void Down_LargeRealPart_StopsAtTheLongest()
        => new JumpScaling().Down(-5, 10, 0.2, 36).ShouldBe(36);

    [Fact]
    public void Add_UselessJump_IsIgnored()
    {
        var scaling = new JumpScaling();
        scaling.Add(10, 0);
        scaling.Add(10, -1);
        scaling.Add(0, 1);
        scaling.Down(-0.5, 10, 0.2, 1000).ShouldBe(25, 1e-9);
    }

    [Fact]
    public void Clear_AfterJumps_ForgetsThem()
    {
        var scaling = new JumpScaling();
        scaling.Add(1000, 0.1);
        scaling.Clear();
        scaling.Down(-0.5, 10, 0.2, 1000).ShouldBe(25, 1e-9);
    }
}
