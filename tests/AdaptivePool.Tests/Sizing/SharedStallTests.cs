using AdaptivePool.Sizing;

namespace AdaptivePool.Tests.Sizing;

public sealed class SharedStallTests
{
    [Fact]
    public void Observe_NothingBegins_AfterASecondUntilSomethingDoes()
    {
        SharedStall stall = default;
        stall.Observe(7, isPressed: true, now: 100).ShouldBeFalse();
        stall.Observe(7, isPressed: true, now: 100.9).ShouldBeFalse();
        stall.Observe(7, isPressed: true, now: 101).ShouldBeTrue();
        stall.Observe(7, isPressed: true, now: 101.9).ShouldBeTrue();
        stall.Observe(8, isPressed: true, now: 102).ShouldBeFalse();
        stall.Observe(8, isPressed: true, now: 103).ShouldBeTrue("each time that it is so long");
    }

    [Theory]
    [InlineData(8, true)]
    [InlineData(7, false)]
    public void Observe_SomethingBeginsOrNothingWaits_TheTimeBeginsAnew(long turns, bool isPressed)
    {
        SharedStall stall = default;
        stall.Observe(7, isPressed: true, now: 100);
        stall.Observe(7, isPressed: true, now: 101).ShouldBeTrue();
        stall.Observe(turns, isPressed, now: 101.5).ShouldBeFalse();
        stall.Observe(turns, isPressed: true, now: 102.4).ShouldBeFalse();
        stall.Observe(turns, isPressed: true, now: 102.5).ShouldBeTrue();
    }
}
