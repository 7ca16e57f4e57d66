using AdaptivePool.Sizing;

namespace AdaptivePool.Tests.Sizing;

public sealed class SharedStallTests
{
    [Fact]
    public void Extra_NothingBegins_OneMoreEachSecond()
    {
        SharedStall stall = default;
        stall.Extra(7, isPressed: true, now: 100).ShouldBe(0);
        stall.Extra(7, isPressed: true, now: 100.9).ShouldBe(0);
        stall.Extra(7, isPressed: true, now: 101).ShouldBe(1);
        stall.Extra(7, isPressed: true, now: 101.9).ShouldBe(1);
        stall.Extra(7, isPressed: true, now: 102).ShouldBe(2);
    }

    [Theory]
    [InlineData(8, true)]
    [InlineData(7, false)]
    public void Extra_SomethingBeginsOrNothingWaits_NoneFromThenOn(long turns, bool isPressed)
    {
        SharedStall stall = default;
        stall.Extra(7, isPressed: true, now: 100);
        stall.Extra(7, isPressed: true, now: 101).ShouldBe(1);
        stall.Extra(turns, isPressed, now: 101.5).ShouldBe(0);
        stall.Extra(turns, isPressed: true, now: 102.4).ShouldBe(0, "the time begins anew");
        stall.Extra(turns, isPressed: true, now: 102.5).ShouldBe(1);
    }
}
