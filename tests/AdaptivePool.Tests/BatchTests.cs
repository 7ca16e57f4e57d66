using AdaptivePool.Dispatch;

namespace AdaptivePool.Tests;

/// <summary>A worker that waits for the next item with a route takes whatever comes, and nothing is lost when it gives up.</summary>
public sealed class BatchTests : PoolTest
{
    private static readonly TimeSpan s_wait = TimeSpan.FromMicroseconds(100);

    [Fact]
    public async Task RunRouted_WorkersWait_EachItemRunsOnce()
    {
        const int Producers = 4, Items = 2_000;
        AdaptiveThreadPool pool = CreatePool(new AdaptivePoolOptions { BatchWait = s_wait, ThreadGroups = 2 });
        WorkClass batched = Waiting(pool, "batched");
        var ran = new int[Producers * Items];

        await Task.WhenAll(Enumerable.Range(0, Producers).Select(producer => Task.Run(async () =>
        {
            for (int i = 0; i < Items; i++)
            {
                int number = (producer * Items) + i;
                await batched.RunRouted(producer, () => Interlocked.Increment(ref ran[number]));
            }
        })));

        ran.ShouldAllBe(static times => times == 1);
    }

    [Fact]
    public async Task RunRouted_WorkersWait_WorkOfAnotherKindIsNotHeldUp()
    {
        AdaptiveThreadPool pool = CreatePool(new AdaptivePoolOptions { BatchWait = TimeSpan.FromMilliseconds(10), MaxThreads = 1 });
        WorkClass batched = Waiting(pool, "batched");
        for (int i = 0; i < 100; i++)
        {
            await batched.RunRouted(i, static () => { });
            await pool.Run(static async () => await Task.Yield());
        }
    }

    [Fact]
    public async Task Dispose_WhileWorkersWait_RunsWhatWasQueued()
    {
        for (int round = 0; round < 50; round++)
        {
            var pool = new AdaptiveThreadPool(new AdaptivePoolOptions { BatchWait = TimeSpan.FromMilliseconds(10) });
            WorkClass batched = Waiting(pool, "batched");
            int ran = 0;
            for (int i = 0; i < 20; i++)
            {
                _ = batched.RunRouted(i, () => Interlocked.Increment(ref ran));
            }

            await pool.DisposeAsync();
            ran.ShouldBe(20);
        }
    }

    [Fact]
    public async Task IsBatching_OffByDefault()
    {
        AdaptiveThreadPool pool = CreatePool();
        WorkClass routed = pool.GetClass("routed");
        for (int i = 0; i < 100; i++)
        {
            await routed.RunRouted(0, static () => { });
        }

        routed.GetSnapshot().IsBatching.ShouldBeFalse();
        routed.Core.Batches.ShouldBeNull("nothing is tried");
    }

    [Fact]
    public async Task IsBatching_WhereWorkersWait_IsTold()
    {
        AdaptiveThreadPool pool = CreatePool(new AdaptivePoolOptions { BatchWait = s_wait });
        WorkClass batched = Waiting(pool, "batched");
        await batched.RunRouted(0, static () => { });

        Eventually.Be(() => batched.GetSnapshot().IsBatching, "the worker has gone to wait");
    }

    private static WorkClass Waiting(AdaptiveThreadPool pool, string name)
    {
        WorkClass batched = pool.GetClass(name);
        batched.Core.Batches = new BatchRule(s_wait.TotalSeconds, isOn: true);
        return batched;
    }
}
