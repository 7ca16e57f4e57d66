namespace AdaptivePool.Tests.Faults;

/// <summary>Items that never come back: they cost their threads and nothing else.</summary>
public sealed class BlockedForEverTests : IDisposable
{
    private readonly ManualResetEventSlim _never = new();

    // Only here does "for ever" end, so that the test process keeps no threads.
    public void Dispose() => _never.Set();

    [Fact]
    public void OneWorkerBlockedForEver_WorkOfOthersGoesOnAndDisposeEnds()
    {
        var pool = new AdaptiveThreadPool(new AdaptivePoolOptions { DrainTimeout = TimeSpan.FromMilliseconds(100) });
        using var started = new ManualResetEventSlim();
        Task blocked = Block(pool, started);
        Eventually.Set(started, "the item that blocks starts");

        Task<int>[] items = [.. Enumerable.Range(0, 1_000).Select(i => pool.Run(() => i))];
        items.Sum(static t => Eventually.Result(t)).ShouldBe(499_500);

        Eventually.End(pool.DisposeAsync().AsTask(), "the end waits for DrainTimeout and no longer");
        blocked.IsCompleted.ShouldBeFalse();
        pool.GetSnapshot().Rescues.ShouldBe(0);
    }

    [Fact]
    public void EveryWorkerBlockedForEver_NoThreadBeyondMaxThreadsNoSpinAndDisposeEnds()
    {
        const int Most = 4;
        using var threads = new ScriptedThreadSource(static _ => false);
        var pool = new AdaptiveThreadPool(
            new AdaptivePoolOptions { MinThreads = 1, MaxThreads = Most, DrainTimeout = TimeSpan.FromMilliseconds(100) },
            new PoolSurroundings { Threads = threads });
        var blocked = new BlockedWorkers(pool, Most, _never);
        Task<int>[] queued = [.. Enumerable.Range(0, 20).Select(i => pool.Run(() => i))];

        // Many looks of the sizing thread, which finds nothing that it may do.
        long wakes = pool.GetSnapshot().Wakes;
        using var pause = new ManualResetEventSlim();
        pause.Wait(TimeSpan.FromMilliseconds(300));

        PoolSnapshot snapshot = pool.GetSnapshot();
        threads.Attempts.ShouldBe(Most, "no thread is asked for that may not be");
        snapshot.PeakThreads.ShouldBe(Most);
        snapshot.Wakes.ShouldBe(wakes, "nobody is woken in vain");
        queued.ShouldAllBe(static t => !t.IsCompleted);

        Eventually.End(pool.DisposeAsync().AsTask(), "the end waits for DrainTimeout and no longer");
        queued.Sum(static t => Eventually.Result(t, "what never started runs on the runtime's pool")).ShouldBe(190);
        blocked.IsAnyCompleted.ShouldBeFalse();
    }

    private Task Block(AdaptiveThreadPool pool, ManualResetEventSlim started) => pool.Run(() =>
    {
        started.Set();
        _never.Wait();
    });
}
