using System.Collections.Concurrent;

namespace AdaptivePool.Tests.Blocking;

/// <summary>What is told of work in flight that blocks or waits: it stands in no class's queue and holds no class's slot.</summary>
public sealed class InFlightBlockingTests : PoolTest
{
    /// <summary>What a running item has queued and waits for: no class's queue holds it.</summary>
    [Fact]
    public void BlockingReported_OnlyWorkInFlightWaits_SaysSo()
    {
        AdaptiveThreadPool pool = CreatePool(new AdaptivePoolOptions { MaxThreads = 2, BlockingReportInterval = TimeSpan.FromMilliseconds(100) });
        var reports = new ConcurrentQueue<BlockingReport>();
        pool.BlockingReported += (_, e) => reports.Enqueue(e);
        using var open = new ManualResetEventSlim();
        Task all = pool.Run(() => Task.WhenAll(Enumerable.Range(0, 8).Select(_ => pool.Run(() => WaitsForEvent(open)))));
        try
        {
            Eventually.Be(() => reports.Any(static report => report is { Blocked: 2, Queued: 6 }), "all workers are blocked, and items of an item wait");
            PoolSnapshot snapshot = pool.GetSnapshot(10);
            snapshot.OldestWait.ShouldBeGreaterThan(TimeSpan.Zero);
            snapshot.QueuedItems.ShouldAllBe(static row => row.ClassName == "(in flight)" && row.Item == "Task" && row.Age == null);
            snapshot.QueuedItems.Count.ShouldBe(6);
            pool.Set.InFlight.Queue.IsRead.ShouldBeFalse("nobody would let go of it, and the sizing thread would never rest");
        }
        finally
        {
            open.Set();
        }

        Eventually.End(all);
    }

    [Fact]
    public void GetBlockers_SleepsAndScopesAfterAnAwait_AreNamedByTheClassOfTheirCode()
    {
        AdaptiveThreadPool pool = CreateFixedPool(4);
        using var open = new ManualResetEventSlim();
        async Task Block(Action block)
        {
            await Task.Yield();
            block();
        }

        Task sleep = pool.GetClass("naps").Run(() => Block(() => SleepUntil(open)));
        Task scope = pool.GetClass("drivers").Run(() => Block(() =>
        {
            using (pool.Blocking("driver"))
            {
                SleepUntil(open);
            }
        }));
        Eventually.Be(() => pool.GetBlockers().Count(static b => b is { Kind: "Thread.Sleep", ClassName: "naps", Blocked: 1 }
            or { Kind: "Blocking scope", ClassName: "drivers", Blocked: 1 }) == 2, "the endpoint is told, not that its code is in flight");
        open.Set();
        Eventually.End(Task.WhenAll(sleep, scope));
        pool.GetBlockers().ShouldAllBe(static b => b.ClassName != "(in flight)");
    }

    private static void WaitsForEvent(ManualResetEventSlim open)
    {
        open.Wait();
        GC.KeepAlive(open);
    }

    private static void SleepUntil(ManualResetEventSlim open)
    {
        while (!open.IsSet)
        {
            Thread.Sleep(50);
        }
    }
}
