using AdaptivePool.Control;
using AdaptivePool.Dispatch;
using AdaptivePool.Housekeeping;
using AdaptivePool.Internal;
using AdaptivePool.Tests.Dispatch;

namespace AdaptivePool.Tests.Housekeeping;

/// <summary>A wake that comes late is helped and is no rescue; one that was lost is helped and counted.</summary>
public sealed class WakeAuditTests : PoolTest
{
    private readonly HeldParkingSource _threads = new();

    [Fact]
    public void Run_CallerPutAsideBeforeItWakes_IsLate()
    {
        AdaptiveThreadPool pool = CreatePool(Options(), _threads);
        Rest(pool);
        _threads.HoldWaker();
        using var done = new ManualResetEventSlim();
        var caller = new Thread(() => pool.Run(done.Set)) { IsBackground = true };
        caller.Start();
        _threads.AwaitHeld();
        RequireLate(pool, done, caller.Join);
    }

    [Fact]
    public void Run_WokenWorkerGetsNoProcessor_IsLate()
    {
        AdaptiveThreadPool pool = CreatePool(Options(), _threads);
        Rest(pool);
        _threads.HoldWoken();
        using var done = new ManualResetEventSlim();
        Task item = pool.Run(done.Set);
        _threads.AwaitHeld();
        RequireLate(pool, done, () => Eventually.End(item));
    }

    [Fact]
    public void Item_ThatNobodyWasWokenFor_IsARescue()
    {
        using var pool = new AdaptiveThreadPool(Options(), new PoolSurroundings { Budget = Budget, RuntimePool = null });
        Rest(pool);
        using var done = new ManualResetEventSlim();
        pool.Set.EnqueueInFlight(new CallbackItem(done.Set));
        pool.Sizing.WakeUp();
        Eventually.Set(done, "the audit finds the item");
        Eventually.Be(pool, static s => s.Rescues == 1 && s.LateWakes == 0, "a lost wake is counted as one");
    }

    /// <summary>A worker whose wake was lost while it slept is taken for late at first.</summary>
    [Fact]
    public void Look_WokenWorkerNeverComes_IsARescueInTheEnd()
    {
        AdaptiveThreadPool pool = CreatePool(Options(), new PoolSurroundings { Threads = _threads, Budget = Budget, RuntimePool = null, HasSafetyNet = false });
        Rest(pool);
        _threads.HoldWoken();
        using var done = new ManualResetEventSlim();
        Task item = pool.Run(done.Set);
        _threads.AwaitHeld();
        var audit = new WakeAudit<RealSync>(pool.Set);
        audit.Look(1);
        audit.Look(2);
        audit.LateWakes.ShouldBe(1);
        Eventually.Set(done, "the other worker was woken");
        audit.Look(60);
        audit.Rescues.ShouldBe(0);
        audit.Look(63);
        audit.Rescues.ShouldBe(1);
        audit.Look(200);
        audit.Rescues.ShouldBe(1);
        _threads.GoOn();
        Eventually.End(item);
    }

    [Fact]
    public void Look_WokenWorkerComesInTheEnd_IsNoRescue()
    {
        AdaptiveThreadPool pool = CreatePool(Options(), new PoolSurroundings { Threads = _threads, Budget = Budget, RuntimePool = null, HasSafetyNet = false });
        Rest(pool);
        _threads.HoldWoken();
        Task item = pool.Run(static () => { });
        _threads.AwaitHeld();
        var audit = new WakeAudit<RealSync>(pool.Set);
        audit.Look(1);
        audit.Look(2);
        Eventually.End(item);
        _threads.GoOn();
        Eventually.Be(() => AllSleep(pool), "the late worker looks, finds nothing and lies down");
        audit.Look(70);
        audit.LateWakes.ShouldBe(1);
        audit.Rescues.ShouldBe(0);
    }

    /// <summary>Sixteen looks a second, and none between them: a look reads each class and each worker.</summary>
    [Fact]
    public void Look_SoonAfterAnother_IsNone()
    {
        AdaptiveThreadPool pool = CreatePool(Options(), new PoolSurroundings { Threads = _threads, Budget = Budget, RuntimePool = null, HasSafetyNet = false });
        Rest(pool);
        _threads.HoldWoken();
        Task item = pool.Run(static () => { });
        _threads.AwaitHeld();
        var audit = new WakeAudit<RealSync>(pool.Set);

        try
        {
            // The first look begins the time, and the sixth is the first one after it.
            for (int look = 0; look < 5; look++)
            {
                audit.Look(1 + (look / 16.0));
            }

            audit.Look(1.3);
            audit.LateWakes.ShouldBe(0, "too soon after the fifth");
            audit.Look(1 + (5 / 16.0));
            audit.LateWakes.ShouldBe(1);
        }
        finally
        {
            _threads.GoOn();
        }

        Eventually.End(item);
    }

    private static AdaptivePoolOptions Options() =>
        new() { Name = "audit", MinThreads = 2, MaxThreads = 2, Sizing = PoolSizing.Fixed(1) };

    private static void Rest(AdaptiveThreadPool pool)
    {
        int running = 0;
        void Meet()
        {
            // Without a wait that the pool sees: it would have the thread count among those of root work.
            Interlocked.Increment(ref running);
            SpinWait.SpinUntil(() => Volatile.Read(ref running) == 2, Eventually.Patience).ShouldBeTrue("both workers run at once");
        }

        // All threads that may be are there then, and none of them comes late.
        pool.Set.QueueInFlight(new CallbackItem(Meet));
        Eventually.End(pool.Run(Meet));
        Eventually.Be(() => AllSleep(pool), "all workers sleep");
    }

    private static bool AllSleep(AdaptiveThreadPool pool) =>
        pool.Set.Idle.Count == pool.Set.Existing && !Array.Exists(pool.Set.Workers, static worker => worker is { IsOnTheWay: true });

    private void RequireLate(AdaptiveThreadPool pool, ManualResetEventSlim done, Action end)
    {
        // It would look when something makes it; a quiet pool has nobody who does.
        pool.Sizing.WakeUp();
        Eventually.Set(done, "the audit wakes another worker");
        Eventually.Be(pool, static s => s.LateWakes > 0, "the wake was late");
        PoolSnapshot snapshot = pool.GetSnapshot();
        _threads.GoOn();
        end();
        snapshot.LateWakes.ShouldBe(1);
        snapshot.Rescues.ShouldBe(0);
    }
}
