using System.Collections.Concurrent;
using AdaptivePool.Runtime;
using AdaptivePool.Sensing;

namespace AdaptivePool.Tests.Runtime;

/// <summary>Code that blocks on the runtime's pool is noticed from outside of it.</summary>
[Collection(RuntimePoolCollection.Name)]
public sealed class RuntimePoolWatchTests : PoolTest
{
    private const int MoreThanItHasThreads = 200;
    private const string ProbeThread = "AdaptivePool ru";

    [Fact]
    public void RuntimePoolStarved_TasksBlockIt_IsToldOnceWithThePlaceAndTheSwitchKeepsQuiet()
    {
        var watch = new RuntimePoolWatch();
        AdaptiveThreadPool watching = CreatePool(new AdaptivePoolOptions(), new PoolSurroundings { Budget = Budget, RuntimePool = watch });
        AdaptiveThreadPool off =
            CreatePool(new AdaptivePoolOptions { WatchRuntimePool = false }, new PoolSurroundings { Budget = Budget, RuntimePool = watch });
        var told = new ConcurrentQueue<string>();
        watching.RuntimePoolStarved += (_, message) => told.Enqueue(message);
        off.RuntimePoolStarved += (_, _) => told.Enqueue("switched off");
        using var open = new ManualResetEventSlim();
        Task[] blockers = [.. Enumerable.Range(0, MoreThanItHasThreads).Select(_ => Task.Run(() => open.Wait()))];
        try
        {
            Eventually.Be(() => !told.IsEmpty, "a probe waits behind what blocks");
            watching.GetSnapshot().RuntimePoolDelay.ShouldBeGreaterThanOrEqualTo(TimeSpan.FromSeconds(0.9));
            off.GetSnapshot().RuntimePoolDelay.ShouldBe(TimeSpan.Zero);
        }
        finally
        {
            open.Set();
        }

        Array.ForEach(blockers, blocker => Eventually.End(blocker));
        Eventually.Be(() => watching.GetSnapshot().RuntimePoolDelay < TimeSpan.FromSeconds(0.5), "the delay is over when what blocked has ended");
        string message = told.ShouldHaveSingleItem();
        message.ShouldContain(nameof(RuntimePoolStarved_TasksBlockIt_IsToldOnceWithThePlaceAndTheSwitchKeepsQuiet));
        if (ThreadProbe.IsSupported)
        {
            message.ShouldContain("threads sleep in code that blocks");
        }
    }

    [Fact]
    public void RuntimePoolStarved_AnotherPoolAfterTheOneThatWasTold_IsToldNoMore()
    {
        var watch = new RuntimePoolWatch(TimeSpan.FromMilliseconds(20));
        int told = 0;
        for (int i = 0; i < 2; i++)
        {
            AdaptiveThreadPool pool = CreatePool(new AdaptivePoolOptions(), new PoolSurroundings { Budget = Budget, RuntimePool = watch });
            pool.RuntimePoolStarved += (_, _) => Interlocked.Increment(ref told);
            watch.Report(1);
            Eventually.Be(() => watch.IsAsleep, "what is to be told is told");
            told.ShouldBe(1);
            pool.Dispose();
        }
    }

    [Fact]
    public void Leave_LastPool_EndsTheProbe()
    {
        var watch = new RuntimePoolWatch();
        AdaptiveThreadPool pool = CreatePool(new AdaptivePoolOptions(), new PoolSurroundings { Budget = Budget, RuntimePool = watch });
        if (ThreadProbe.IsSupported)
        {
            Eventually.Be(() => ThreadProbe.Threads().Any(static thread => ThreadProbe.Name(thread) == ProbeThread), "the probe has a thread of its own");
        }

        pool.Dispose();
        Eventually.Be(() => !ThreadProbe.Threads().Any(static thread => ThreadProbe.Name(thread) == ProbeThread), "nobody wants to know");
        watch.Delay.ShouldBe(TimeSpan.Zero);
    }

    /// <summary>It sleeps for good while no pool is used, and a pool that is used calls it.</summary>
    [Fact]
    public void Probe_AsleepBesideAPoolThatIsUsed_Wakes()
    {
        var watch = new RuntimePoolWatch(TimeSpan.FromMilliseconds(20));
        AdaptiveThreadPool pool =
            CreatePool(new AdaptivePoolOptions { MaxThreads = 1 }, new PoolSurroundings { Budget = Budget, RuntimePool = watch });
        Eventually.Be(() => watch.IsAsleep, "nobody uses a pool");
        using var open = new ManualResetEventSlim();
        Task holds = pool.Run(open.Wait);

        // What waits makes the sizing thread look, again and again.
        Task waits = pool.Run(static () => { });
        Eventually.Be(() => !watch.IsAsleep, "one is used");
        open.Set();
        Eventually.End(holds);
        Eventually.End(waits);
        Eventually.Be(() => watch.IsAsleep, "and is not any more");
    }

    /// <summary>A look at threads that are to end is no use of a pool: it would wake a process that does nothing twice a second for a while.</summary>
    [Fact]
    public void Probe_AsleepBesideAPoolThatOnlyLooksAtItsThreads_StaysAsleep()
    {
        var watch = new RuntimePoolWatch(TimeSpan.FromSeconds(0.2));
        AdaptiveThreadPool pool = CreatePool(new AdaptivePoolOptions(), new PoolSurroundings { Budget = Budget, RuntimePool = watch });
        Eventually.End(pool.Run(static () => { }));
        Eventually.Be(() => watch.IsAsleep && pool.Set.Idle.Count == pool.Set.Existing, "nobody uses a pool");
        pool.Set.OnLook(false);
        watch.IsAsleep.ShouldBeTrue();
        pool.Set.OnLook(true);
        watch.IsAsleep.ShouldBeFalse("work waits");
    }
}
