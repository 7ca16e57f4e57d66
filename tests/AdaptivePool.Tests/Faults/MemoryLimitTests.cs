using AdaptivePool.Control;
using AdaptivePool.Sensing;

namespace AdaptivePool.Tests.Faults;

/// <summary>Near the memory limit the pool adds no thread, except to one that can run; below it, it grows as ever.</summary>
public sealed class MemoryLimitTests : PoolTest
{
    private double _used = 0.95;

    [Fact]
    public void NearTheLimit_ItemsThatRun_ShareOneThread()
    {
        AdaptiveThreadPool pool = Create();
        int done = 0;
        for (int i = 0; i < 5_000; i++)
        {
            pool.UnsafeQueueUserWorkItem(new CallbackItem(() => Interlocked.Increment(ref done)), preferLocal: false);
        }

        Eventually.Be(() => Volatile.Read(ref done) == 5_000, "everything that can run runs");
        pool.GetSnapshot().PeakThreads.ShouldBe(1);
    }

    [Fact]
    public void NearTheLimit_EveryWorkerBlocked_OneMoreIsAllowedThatCanRun()
    {
        AdaptiveThreadPool pool = Create();
        using var open = new ManualResetEventSlim();
        using var started = new CountdownEvent(3);
        Task[] blocked = [.. Enumerable.Range(0, 3).Select(_ => pool.Run(() =>
        {
            started.Signal();
            open.Wait();
        }))];
        Eventually.Zero(started, "each that blocks leaves nobody to run, so one more may");
        Eventually.Result(pool.Run(() => 1), "and one that can run runs").ShouldBe(1);

        pool.GetSnapshot().PeakThreads.ShouldBeLessThanOrEqualTo(5);
        open.Set();
        Array.ForEach(blocked, t => Eventually.End(t));
        Traces(pool).ShouldContain(static trace => trace.Reason == DecisionReason.MemoryLimit);
    }

    [Fact]
    public void NearTheLimit_WorkInFlightHeldBack_IsInTheLog()
    {
        AdaptiveThreadPool pool = Create(new AdaptivePoolOptions { InitialThreads = 1 });
        bool ends = false;
        using var ended = new CountdownEvent(2);
        for (int i = 0; i < 2; i++)
        {
            pool.Set.QueueInFlight(new CallbackItem(() =>
            {
                // No wait that the hook sees, which would give the place to the other one.
                while (!Volatile.Read(ref ends))
                {
                    Thread.Sleep(1);
                }

                ended.Signal();
            }));
        }

        try
        {
            Eventually.Be(
                () => Traces(pool).Exists(trace => trace.Reason == DecisionReason.MemoryLimit && trace.ClassName == pool.Set.InFlight.Name),
                "the second item would have a thread at once, and is held back");
        }
        finally
        {
            Volatile.Write(ref ends, true);
        }

        Eventually.Zero(ended, "both end");
    }

    /// <summary>One line when it is first held back, and one for each thread that it is given all the same: not one for each look.</summary>
    [Fact]
    public void NearTheLimit_HeldBackForManyLooks_IsInTheLogOnce()
    {
        int looks = 0;
        AdaptiveThreadPool pool = Create(new AdaptivePoolOptions { InitialThreads = 1 }, () => Interlocked.Increment(ref looks));
        bool ends = false;
        using var ended = new CountdownEvent(12);
        for (int i = 0; i < ended.InitialCount; i++)
        {
            pool.Set.QueueInFlight(new CallbackItem(() =>
            {
                // No wait that the hook sees, which would give the place to the next one.
                while (!Volatile.Read(ref ends))
                {
                    Thread.Sleep(1);
                }

                ended.Signal();
            }));
        }

        List<ControllerTrace> traces = [];
        try
        {
            Eventually.Be(
                () =>
                {
                    traces.AddRange(Traces(pool).Where(trace => trace.Reason == DecisionReason.MemoryLimit && trace.ClassName == pool.Set.InFlight.Name));
                    return traces.Count > 0;
                },
                "what waits would have threads at once, and is held back");
            int seen = Volatile.Read(ref looks);
            Eventually.Be(() => Volatile.Read(ref looks) > seen + 8, "it is held back at later looks as well");
        }
        finally
        {
            Volatile.Write(ref ends, true);
        }

        Eventually.Zero(ended, "all end");
        traces.AddRange(Traces(pool).Where(trace => trace.Reason == DecisionReason.MemoryLimit && trace.ClassName == pool.Set.InFlight.Name));
        traces.Count(static trace => trace.To == trace.From).ShouldBe(1);
        traces.Count(static trace => trace.To > trace.From).ShouldBe(traces.Count - 1);
    }

    [Fact]
    public void NearTheLimit_SyncOverAsync_FinishesAllTheSame()
    {
        AdaptiveThreadPool pool = Create();
        Task<int>[] items = [.. Enumerable.Range(0, 3).Select(i => pool.Run(() => Later(i).Result))];
        items.Select(static t => Eventually.Result(t)).ShouldBe([0, 1, 2]);

        static async Task<int> Later(int value)
        {
            await Task.Delay(1);
            return value;
        }
    }

    [Fact]
    public void BelowTheLimitAgain_PoolGrows()
    {
        AdaptiveThreadPool pool = Create();
        Eventually.End(pool.Run(static () => { }));
        Volatile.Write(ref _used, 0.3);

        using var gate = new WorkerGate(pool.Factory, 12);
        pool.GetSnapshot().Existing.ShouldBeGreaterThanOrEqualTo(12);
    }

    /// <summary>A pool starts a thread a millisecond, and the memory was read four times a second: it was used up in between.</summary>
    [Fact]
    public void LittleMemoryIsLeft_FewThreadsMayStartUntilTheNextReadingAndAllInTheEnd()
    {
        AdaptiveThreadPool pool = CreatePool(
            new AdaptivePoolOptions(), new PoolSurroundings { Budget = Budget, Heap = static () => new MemoryUse(20e6, 200e6) });
        Eventually.Be(() => pool.Set.MostThreads is > 0 and <= 8, "one in 32 of the 152 threads that there is memory for");
        using var gate = new WorkerGate(pool.Factory, 40);
        pool.GetSnapshot().Existing.ShouldBeGreaterThanOrEqualTo(40);
    }

    [Fact]
    public void OtherPoolsSleep_LeaveTheirPartOfTheMemory()
    {
        for (int i = 0; i < 9; i++)
        {
            Budget.Join();
        }

        AdaptiveThreadPool pool = CreatePool(
            new AdaptivePoolOptions(), new PoolSurroundings { Budget = Budget, Heap = static () => new MemoryUse(0.1e9, 10e9) });
        Eventually.Be(() => pool.Set.MostThreads is > 100 and < 1_000, "one in 32 of the 8,500 threads that there is memory for, and no tenth of that");
    }

    // Waits until the guard is in force: the first thread must not come before the first look.
    private AdaptiveThreadPool Create(AdaptivePoolOptions? options = null, Action? onLook = null)
    {
        MemoryUse Look()
        {
            onLook?.Invoke();
            return new MemoryUse(Volatile.Read(ref _used) * 1e12, 1e12);
        }

        AdaptiveThreadPool pool = CreatePool(options ?? new AdaptivePoolOptions(), new PoolSurroundings { Budget = Budget, Heap = Look });
        Eventually.Be(() => pool.Set.MostThreads == 1, "the guard looks before the first item");
        return pool;
    }

    private static List<ControllerTrace> Traces(AdaptiveThreadPool pool)
    {
        List<ControllerTrace> traces = [];
        while (pool.Decisions.TryRead(out ControllerTrace? trace))
        {
            traces.Add(trace);
        }

        return traces;
    }
}
