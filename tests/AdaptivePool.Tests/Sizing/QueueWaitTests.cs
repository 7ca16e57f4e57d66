using AdaptivePool.Sizing;

namespace AdaptivePool.Tests.Sizing;

public sealed class QueueWaitTests
{
    private readonly QueueWait _wait = new();

    [Fact]
    public void Observe_SteadyQueue_MeanIsThatOfLittlesLaw()
    {
        // 20 wait, 100 are taken each second: each waits 0.2 s.
        _wait.Observe(At(0), 0, 20);
        _wait.Open();
        for (int i = 1; i <= 500; i++)
        {
            _wait.Observe(At(0.01 * i), i, 20);
        }

        _wait.Mean.TotalSeconds.ShouldBe(0.2, 0.001);
        _wait.Longest.TotalSeconds.ShouldBe(0.2, 0.011);
    }

    [Fact]
    public void Observe_NobodyIsTaken_TheOldestWaitsOn()
    {
        _wait.Observe(At(0.9), 5, 0);
        _wait.Open();
        Look(from: 1, to: 4, taken: 5, queued: 3);
        Look(from: 4, to: 4.5, taken: 5, queued: 9);
        _wait.Longest.TotalSeconds.ShouldBe(3.4, 0.11);
        Look(from: 4.5, to: 7, taken: 8, queued: 6);
        _wait.Longest.TotalSeconds.ShouldBe(3.4, 0.21, "those that came first are gone");
        Look(from: 7, to: 10, taken: 8, queued: 6);
        _wait.Longest.TotalSeconds.ShouldBe(6, 0.21);
    }

    [Fact]
    public void Observe_EmptyQueue_NobodyWaited()
    {
        _wait.Observe(At(0), 0, 0);
        _wait.Open();
        for (int i = 1; i < 100; i++)
        {
            _wait.Observe(At(i), 10 * i, 0);
        }

        (_wait.Mean, _wait.Longest).ShouldBe((TimeSpan.Zero, TimeSpan.Zero));
    }

    [Fact]
    public void Observe_CountsGoBack_NothingIsNegative()
    {
        _wait.Observe(At(0), 10, 4);
        _wait.Open();
        _wait.Observe(At(1), 8, 4);
        _wait.Observe(At(2), 11, 0);
        _wait.Mean.ShouldBeGreaterThanOrEqualTo(TimeSpan.Zero);
        _wait.Longest.ShouldBeGreaterThanOrEqualTo(_wait.Mean);
    }

    [Fact]
    public void Observe_LongQueueThatMoves_KeepsABoundedNumberOfLooks()
    {
        // The queue grows for a minute: the oldest is 60 s old, within what thinning out costs.
        _wait.Observe(At(0), 0, 1);
        _wait.Open();
        for (int i = 1; i <= 20_000; i++)
        {
            _wait.Observe(At(0.003 * i), 0, i);
        }

        _wait.Longest.TotalSeconds.ShouldBe(60, 0.1);
    }

    [Fact]
    public void Observe_EachLook_CostsNoMemory()
    {
        int look = 0;
        Allocation.Of(() => _wait.Observe(At(0.01 * ++look), look, 20)).ShouldBe(0);
    }

    private void Look(double from, double to, long taken, int queued)
    {
        for (double at = from; at < to - 0.01; at += 0.1)
        {
            _wait.Observe(At(at), taken, queued);
        }
    }

    private static TimeSpan At(double seconds) => TimeSpan.FromSeconds(seconds);
}
