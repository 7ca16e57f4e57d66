using AdaptivePool.Blocking;

namespace AdaptivePool.Tests.Blocking;

public sealed class QueueAgeRuleTests
{
    private readonly QueueAgeRule _rule = new();

    [Fact]
    public void Observe_NothingWaits_IsZero() => _rule.Observe(5, 0, 100).ShouldBe(0);

    [Fact]
    public void Observe_NothingStarts_GrowsWithTime()
    {
        _rule.Observe(1, 10, 0).ShouldBe(0);
        _rule.Observe(2, 10, 0).ShouldBe(1);
        _rule.Observe(4, 30, 9).ShouldBe(3, "one of the ten still waits");
    }

    [Fact]
    public void Observe_SteadyQueue_TellsTheTrueWait()
    {
        // 100 items per second through a queue of 50: each waits 0.5 s.
        double wait = 0;
        for (int look = 0; look <= 100; look++)
        {
            wait = _rule.Observe(look * 0.1, 50, look * 10);
        }

        wait.ShouldBeInRange(0.5, 0.6);
    }

    [Fact]
    public void Observe_QueueEmptiedOnce_ForgetsThePast()
    {
        _rule.Observe(0, 10, 0);
        _rule.Observe(9, 10, 0).ShouldBe(9);
        _rule.Observe(10, 0, 10).ShouldBe(0);
        _rule.Observe(11, 10, 10).ShouldBe(0);
    }
}
