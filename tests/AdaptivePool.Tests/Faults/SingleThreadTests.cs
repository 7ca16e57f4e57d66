namespace AdaptivePool.Tests.Faults;

/// <summary>MaxThreads = 1: everything that can finish on one thread finishes; what needs a second one waits until it is allowed.</summary>
public sealed class SingleThreadTests : PoolTest
{
    [Fact]
    public void MaxThreadsOne_ItemsChildrenAndAwaits_Finish()
    {
        AdaptiveThreadPool pool = CreateSingleThreadPool();
        Task<int>[] items = [.. Enumerable.Range(0, 500).Select(i => pool.Run(() => i))];
        Task<int> child = pool.Run(() => pool.Factory.StartNew(static () => 7).Result);
        Task<int> awaits = pool.Run(async () =>
        {
            await Task.Yield();
            await Task.Delay(1);
            return 8;
        });
        Task<int> parallel = pool.Run(() =>
        {
            int sum = 0;
            Parallel.For(0, 100, new ParallelOptions { TaskScheduler = pool.Scheduler }, i => Interlocked.Add(ref sum, i));
            return sum;
        });

        items.Sum(static t => Eventually.Result(t)).ShouldBe(124_750);
        Eventually.Result(child, "a queued child runs on the thread that waits for it").ShouldBe(7);
        Eventually.Result(awaits).ShouldBe(8);
        Eventually.Result(parallel).ShouldBe(4_950);
        pool.GetSnapshot().PeakThreads.ShouldBe(1);
    }

    /// <summary>docs/blocking.md: when every thread waits for work that needs a thread, only another thread helps.</summary>
    [Fact]
    public void MaxThreadsOne_SyncOverAsync_WaitsForASecondThread()
    {
        AdaptiveThreadPool pool = CreateSingleThreadPool();
        using var waits = new ManualResetEventSlim();
        Task<int> item = pool.Run(() =>
        {
            Task<int> later = Later();
            waits.Set();
            return later.Result;
        });
        Eventually.Set(waits, "the item starts");
        Eventually.Be(pool, static s => s is { Existing: 1, Queued: 1 }, "the continuation waits for the thread that waits for it");
        item.IsCompleted.ShouldBeFalse();

        pool.Resize(1, 2);
        Eventually.Result(item, "a second thread ends it").ShouldBe(9);

        static async Task<int> Later()
        {
            await Task.Delay(1);
            return 9;
        }
    }
}
