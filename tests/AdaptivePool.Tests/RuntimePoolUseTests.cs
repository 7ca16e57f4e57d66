namespace AdaptivePool.Tests;

/// <summary>Rule R9: nothing of ours runs on the runtime's pool.</summary>
[Collection(RuntimePoolCollection.Name)]
public sealed class RuntimePoolUseTests : PoolTest
{
    [Fact]
    public void Items_OfAllKinds_NeverTouchTheRuntimePool()
    {
        const int each = 5_000;
        AdaptiveThreadPool pool = CreatePool();
        int onRuntimePool = 0;
        using var left = new CountdownEvent(4 * each);
        void Item()
        {
            if (Thread.CurrentThread.IsThreadPoolThread)
            {
                Interlocked.Increment(ref onRuntimePool);
            }

            left.Signal();
        }

        var item = new CallbackItem(Item);
        long before = ThreadPool.CompletedWorkItemCount;
        for (int i = 0; i < each; i++)
        {
            pool.UnsafeQueueUserWorkItem(item, preferLocal: false);
            _ = pool.Run(Item);
            _ = pool.GetClass("other").Run(Item);
            _ = pool.Run(async () =>
            {
                await Task.Yield();
                Item();
            });
        }

        Eventually.Zero(left, "all items must run");
        long grown = ThreadPool.CompletedWorkItemCount - before;
        onRuntimePool.ShouldBe(0);

        // The test runner itself uses the runtime's pool a little.
        grown.ShouldBeLessThan(each / 10);
    }

    [Fact]
    public void Dispose_RuntimePoolIsHeldUp_Returns()
    {
        // That pool adds a thread per half second: it does not get through these while the test has patience.
        const int blockers = 500;
        AdaptiveThreadPool pool = CreatePool();
        Eventually.End(pool.Elastic.Run(static () => { }));
        using var open = new ManualResetEventSlim();
        using var left = new CountdownEvent(blockers);
        for (int i = 0; i < blockers; i++)
        {
            ThreadPool.UnsafeQueueUserWorkItem(
                _ =>
                {
                    open.Wait();
                    left.Signal();
                },
                null);
        }

        var disposes = new Thread(pool.Dispose) { IsBackground = true };
        disposes.Start();
        bool returned = disposes.Join(Eventually.Patience);
        open.Set();
        Eventually.Zero(left, "the runtime's pool goes on");
        returned.ShouldBeTrue("the end of the pool needs nothing of the runtime's");
    }

    [Fact]
    public void Pool_SizingBlockedWork_QueuesNothingToTheRuntimePool()
    {
        AdaptiveThreadPool pool = CreatePool(new AdaptivePoolOptions { MinThreads = 1, IdleTimeout = TimeSpan.FromMilliseconds(100) });
        long before = ThreadPool.CompletedWorkItemCount;
        Task[] sleepers = [.. Enumerable.Range(0, 300).Select(_ => pool.Run(() => Thread.Sleep(5)))];
        Array.ForEach(sleepers, t => Eventually.End(t));
        Eventually.Be(pool, s => s is { Active: 0 } && s.Existing == s.MinThreads, "threads retire");
        (ThreadPool.CompletedWorkItemCount - before).ShouldBeLessThan(100);
    }
}
