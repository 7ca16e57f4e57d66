using AdaptivePool.Admission;

namespace AdaptivePool.Tests.Admission;

public sealed class GateClockTests
{
    [Fact]
    public void Now_BeginsAtZero_WheneverTheGateIsCreated()
    {
        var time = new ManualClock();
        time.Advance(TimeSpan.FromHours(1));
        var clock = new GateClock(time, time);
        clock.Now.ShouldBe(TimeSpan.Zero);
        time.Advance(TimeSpan.FromSeconds(2));
        clock.Now.ShouldBe(TimeSpan.FromSeconds(2));
    }
}
