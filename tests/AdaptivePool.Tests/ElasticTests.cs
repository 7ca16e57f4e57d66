using AdaptivePool.Internal;

namespace AdaptivePool.Tests;

public sealed class ElasticTests : PoolTest
{
    private const int NiceField = 16;
    private const int PolicyField = 38;
    private const int PolicyIdle = 5;

    [Fact]
    public void Elastic_AskedForAgain_IsTheSameAndItsOwn()
    {
        AdaptiveThreadPool pool = CreatePool(new AdaptivePoolOptions { Name = "shop" });
        pool.Elastic.ShouldNotBeSameAs(pool);
        pool.Elastic.ShouldBeSameAs(pool.Elastic);
        pool.Elastic.Elastic.ShouldBeSameAs(pool.Elastic);
        pool.Elastic.Name.ShouldBe("shop elastic");
    }

    [Fact]
    public void Elastic_ItsThreads_RunBehindAllOthers()
    {
        if (!NativeMethods.HasSystemCalls)
        {
            return;
        }

        AdaptiveThreadPool pool = CreatePool();
        string[] elastic = Eventually.Result(pool.Elastic.Run(Fields));
        elastic[PolicyField].ShouldBe($"{PolicyIdle}");
        string[] usual = Eventually.Result(pool.Run(Fields));
        elastic[NiceField].ShouldBe(usual[NiceField], "the policy is enough, and threads that are started here inherit no more than it");
        usual[PolicyField].ShouldBe("0", "only the threads of background work are put behind others");

        // Fields of stat behind the name, which may hold anything: proc(5) numbers them from 3 on.
        static string[] Fields() => File.ReadAllText("/proc/thread-self/stat").Split(')')[^1].Trim().Split(' ');
    }

    [Fact]
    public void Elastic_WhatFollowsAnAwait_IsElasticToo()
    {
        AdaptiveThreadPool pool = CreatePool();
        AdaptiveThreadPool? after = Eventually.Result(pool.Elastic.GetClass("index").Run(async () =>
        {
            await Task.Delay(1);
            return AdaptiveThreadPool.Current;
        }));
        after.ShouldBeSameAs(pool.Elastic);
    }

    [Fact]
    public void Dispose_BackgroundWorkWaits_AllIsRun()
    {
        AdaptiveThreadPool pool = CreatePool();
        int run = 0;
        for (int i = 0; i < 500; i++)
        {
            _ = pool.Elastic.Run(() => Interlocked.Increment(ref run));
        }

        Eventually.End(pool.DisposeAsync().AsTask());
        run.ShouldBe(500);
        pool.Elastic.GetSnapshot().Rescues.ShouldBe(0);
        Should.Throw<ObjectDisposedException>(() => pool.Elastic.Run(static () => { }));
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void Dispose_WorkThatRunsQueuesBackgroundWork_ItIsRun(bool isFirst)
    {
        AdaptiveThreadPool pool = CreatePool();
        if (!isFirst)
        {
            _ = pool.Elastic;
        }

        using var open = new ManualResetEventSlim();
        Task<int> item = pool.Run(async () =>
        {
            open.Wait();
            return await pool.Elastic.Run(static () => 7);
        });
        Task closed = pool.DisposeAsync().AsTask();
        open.Set();
        Eventually.Result(item).ShouldBe(7);
        Eventually.End(closed);
        Should.Throw<ObjectDisposedException>(() => pool.Elastic.Run(static () => { }));
    }

    [Fact]
    public void Elastic_FirstAskedForByAnItemThatThePoolDidNotWaitFor_IsRefused()
    {
        AdaptiveThreadPool pool = CreatePool(new AdaptivePoolOptions { DrainTimeout = TimeSpan.Zero });
        using var open = new ManualResetEventSlim();
        using var runs = new ManualResetEventSlim();
        Task item = pool.Run(() =>
        {
            runs.Set();
            open.Wait();
            _ = pool.Elastic;
        });
        Eventually.Set(runs, "the item runs");
        Task closed = pool.DisposeAsync().AsTask();
        Eventually.Be(() => pool.Set.Stopped, "the pool waits for no item");
        open.Set();
        Should.Throw<ObjectDisposedException>(() => Eventually.End(item));
        Eventually.End(closed);
    }

    [Fact]
    public void Elastic_FirstAskedForAfterTheEnd_IsRefused()
    {
        AdaptiveThreadPool pool = CreatePool();
        Eventually.End(pool.DisposeAsync().AsTask());
        Should.Throw<ObjectDisposedException>(() => pool.Elastic);
    }

    [Fact]
    public void Fault_OfAnItemOfThePart_IsRaisedByThePoolUnlessThePartHasAHandler()
    {
        AdaptiveThreadPool pool = CreatePool();
        AdaptiveThreadPool? from = null;
        int here = 0;
        int there = 0;
        pool.Faulted += (sender, _) =>
        {
            Interlocked.Increment(ref here);
            Volatile.Write(ref from, sender as AdaptiveThreadPool);
        };
        pool.Elastic.UnsafeQueueUserWorkItem(static _ => throw new InvalidOperationException("item"), null);
        Eventually.Be(() => Volatile.Read(ref from) is not null, "whoever listens to the pool hears of its background work");
        from.ShouldBeSameAs(pool.Elastic);
        pool.GetSnapshot().Elastic.ShouldNotBeNull().Faulted.ShouldBe(1);

        pool.Elastic.Faulted += (_, _) => Interlocked.Increment(ref there);
        pool.Elastic.UnsafeQueueUserWorkItem(static _ => throw new InvalidOperationException("item"), null);
        Eventually.Be(() => Volatile.Read(ref there) == 1, "the part has a handler of its own");
        Volatile.Read(ref here).ShouldBe(1);
    }

    [Fact]
    public void BlockingReported_WorkersOfThePartAreBlocked_IsRaisedByThePool()
    {
        AdaptiveThreadPool pool = CreatePool(new AdaptivePoolOptions
        {
            Name = "shop",
            MaxThreads = 2,
            BlockingReportInterval = TimeSpan.FromMilliseconds(100),
            DeadlockTimeout = TimeSpan.FromMilliseconds(100),
        });
        BlockingReport? blocked = null;
        BlockingReport? deadlock = null;
        pool.BlockingReported += (_, report) => Volatile.Write(ref blocked, report);
        pool.DeadlockChanged += (_, report) => Interlocked.CompareExchange(ref deadlock, report, null);
        using var open = new ManualResetEventSlim();
        Task all = Task.WhenAll(Enumerable.Range(0, 4).Select(_ => pool.Elastic.Run(open.Wait)));
        Eventually.Be(() => Volatile.Read(ref blocked) is not null && Volatile.Read(ref deadlock) is not null, "blocked background work is told");
        pool.GetSnapshot().Elastic.ShouldNotBeNull().IsDeadlocked.ShouldBeTrue();
        open.Set();
        Eventually.End(all);

        (blocked!.PoolName, deadlock!.PoolName, deadlock.IsDeadlocked).ShouldBe(("shop elastic", "shop elastic", true));
    }

    [Fact]
    public void Dispose_ByBackgroundWorkItself_DoesNotWaitForItself()
    {
        AdaptiveThreadPool pool = CreatePool();
        Eventually.End(pool.Elastic.Run(pool.Dispose));
    }
}
