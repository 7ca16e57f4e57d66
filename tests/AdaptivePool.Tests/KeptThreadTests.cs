using AdaptivePool.Control;

namespace AdaptivePool.Tests;

/// <summary>Of two threads or more one is kept for work in flight: what root items wait for always finds it, however many classes there are and however cold
/// the pool is.</summary>
public sealed class KeptThreadTests : PoolTest
{
    [Theory]
    [InlineData(2, 1)]
    [InlineData(2, 2)]
    [InlineData(4, 2)]
    [InlineData(16, 8)]
    public void Post_ItemsOfManyClassesHoldAllTheyMay_FindsAThread(int maxThreads, int classes)
    {
        AdaptiveThreadPool pool = Create(maxThreads);
        using var blocked = new BlockedItems(pool, classes, 2 * maxThreads);
        Eventually.Be(pool, s => s.Existing == maxThreads && s.Idle + s.Blocked == maxThreads, "root work takes what it may, and a spare is started");
        RunInFlight(pool);
    }

    [Fact]
    public void Post_FixedSizeOfAllThreads_FindsAThread()
    {
        AdaptiveThreadPool pool = CreatePool(new AdaptivePoolOptions { Name = "fixed", MaxThreads = 4, Sizing = PoolSizing.Fixed(4) });
        using var blocked = new BlockedItems(pool, 2, 8);
        Eventually.Be(pool, static s => s.Existing == 4 && s.Idle + s.Blocked == 4, "root work takes what it may, and a spare is started");
        RunInFlight(pool);
    }

    [Fact]
    public void Post_AnItemInFlightWaitsToo_FindsAThread()
    {
        AdaptiveThreadPool pool = Create(3);
        using var open = new ManualResetEventSlim();
        pool.SynchronizationContext.Post(_ => open.Wait(), null);

        // It is seen to wait a moment before it has its place among the root items; what takes the last thread in between came before the wait (ADR 22).
        Eventually.Be(() => pool.Set.Root.Active == 1, "the item in flight must wait");
        using (var blocked = new BlockedItems(pool, 2, 6))
        {
            Eventually.Be(pool, static s => s.Existing == 3 && s.Idle + s.Blocked == 3, "root work takes what it may, and a spare is started");
            RunInFlight(pool);
            open.Set();
        }
    }

    [Theory]
    [InlineData(4, 2, 4)]
    [InlineData(16, 8, 1)]
    [InlineData(2, 2, 2)]
    [InlineData(2, 8, 1)]
    public void Result_ColdPoolOfManyClasses_AllEnd(int maxThreads, int classes, int items)
    {
        for (int round = 0; round < 5; round++)
        {
            AdaptiveThreadPool pool = Create(maxThreads);
            Task[] tasks = [.. Enumerable.Range(0, classes * items).Select(i => pool.GetClass("class " + (i % classes)).Run(() => Inner().Wait()))];
            Array.ForEach(tasks, static t => Eventually.End(t, "what the items wait for finds a thread"));
        }

        static async Task Inner()
        {
            await Task.Delay(5);
            await Task.Yield();
        }
    }

    // One thread is both: an item runs, what follows its awaits runs, and only who blocks on an await of its own needs a second one.
    [Fact]
    public void Run_SingleThread_ManyClassesAndTheirAwaitsEnd()
    {
        AdaptiveThreadPool pool = CreateSingleThreadPool();
        Task[] tasks = [.. Enumerable.Range(0, 40).Select(i => pool.GetClass("class " + (i % 8)).Run(async () => await Task.Yield()))];
        Array.ForEach(tasks, static t => Eventually.End(t));
    }

    [Fact]
    public void Resize_SingleThreadThatWaitsForItsOwnAwait_ASecondThreadEndsIt()
    {
        AdaptiveThreadPool pool = CreateSingleThreadPool();
        Task waits = pool.Run(static () => Inner().Wait());
        Eventually.Be(pool, static s => s.Blocked == 1, "the only thread waits");
        pool.Resize(1, 2);
        Eventually.End(waits);

        static async Task Inner() => await Task.Yield();
    }

    [Fact]
    public void Resize_RootWorkHoldsAllItMay_MoreAndFewerThreadsHoldAtOnce()
    {
        AdaptiveThreadPool pool = Create(2);
        using (var blocked = new BlockedItems(pool, 4, 12))
        {
            Eventually.Be(() => blocked.Running == 1, "one of two threads is for root work");
            pool.Resize(1, 5);
            Eventually.Be(() => blocked.Running == 4, "four of five threads are");
            pool.Resize(1, 3);
            blocked.Open(3);
            Eventually.Be(pool, s => blocked.Ended == 3 && s.Blocked + s.Idle == s.Existing, "items end");
            blocked.Running.ShouldBeLessThanOrEqualTo(2);
            RunInFlight(pool);
        }
    }

    private AdaptiveThreadPool Create(int maxThreads)
        => CreatePool(new AdaptivePoolOptions { Name = "kept", MaxThreads = maxThreads, InitialThreads = maxThreads });

    private static void RunInFlight(AdaptiveThreadPool pool)
    {
        using var ran = new ManualResetEventSlim();
        pool.SynchronizationContext.Post(_ => ran.Set(), null);
        Eventually.Set(ran, "work in flight must find a thread");
    }
}
