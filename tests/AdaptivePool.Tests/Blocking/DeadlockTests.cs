using System.Collections.Concurrent;
using System.Diagnostics.Metrics;
using AdaptivePool.Control;
using AdaptivePool.Diagnostics;
using AdaptivePool.Tests.Dispatch;

namespace AdaptivePool.Tests.Blocking;

/// <summary>Real pools of two threads whose items wait for items that have no thread.</summary>
public sealed class DeadlockTests : PoolTest
{
    [Fact]
    public void DeadlockChanged_AllWorkersWaitForQueuedWork_BeginsAndEnds()
    {
        AdaptiveThreadPool pool = Create(emergencyThreads: 0, "deadlock of two");
        var told = new ConcurrentQueue<BlockingReport>();
        pool.DeadlockChanged += (_, e) => told.Enqueue(e);
        long counted = 0;
        using MeterListener listener = Listen("deadlock of two", () => Interlocked.Increment(ref counted));
        using var release = new Release();
        Task item = pool.Run(() => WaitsForWork(release.Task));
        Eventually.Be(pool, s => s is { Blocked: 1, Existing: 2 }, "one thread waits, and the other is kept for work in flight");
        Task waiting = pool.Run(() => { });
        Eventually.Be(pool, s => s.IsDeadlocked, "all that may run is blocked, work waits, and nothing moves");
        pool.GetSnapshot().Deadlocks.ShouldBe(1);
        Eventually.Be(() => Interlocked.Read(ref counted) == 1, "the verdict is counted");
        release.Open();
        Eventually.End(waiting);
        Eventually.End(item);
        Eventually.Be(pool, s => !s.IsDeadlocked, "something has completed");
        Eventually.Be(() => told.Count == 2, "the end is told too");
        told.Select(e => e.IsDeadlocked).ShouldBe([true, false]);
        BlockingReport report = told.First();
        report.Message.ShouldStartWith(
            "Deadlock: the only worker with an item is blocked (1 in AdaptivePool.Tests.Blocking.DeadlockTests.WaitsForWork (Task.Wait)), MaxThreads is 2, 1 "
            + "item waits");
        pool.GetSnapshot().PeakThreads.ShouldBe(2);
    }

    /// <summary>At each look the other worker may have nothing to do, and yet it has done something since the one before.</summary>
    [Fact]
    public void IsDeadlocked_WorkInFlightGoesOnBesideTheBlocked_IsFalse()
    {
        // Ten would do where nothing moves.
        const int Looks = 14;
        AdaptiveThreadPool pool = Create(emergencyThreads: 0, timeout: TimeSpan.FromSeconds(2));
        using var release = new Release();
        Task item = pool.Run(() => WaitsForWork(release.Task));
        Eventually.Be(pool, s => s is { Blocked: 1, Existing: 2 }, "one thread waits, and the other is kept for work in flight");
        Task waiting = pool.Run(() => { });
        long last = pool.Monitor.Looks + Looks;
        while (pool.Monitor.Looks < last)
        {
            // Nothing of it waits when the next look comes.
            var ran = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
            pool.SynchronizationContext.Post(_ => ran.SetResult(), null);
            Eventually.End(ran.Task);
            Thread.CurrentThread.Join(TimeSpan.FromMilliseconds(1));
        }

        pool.GetSnapshot().Deadlocks.ShouldBe(0);
        release.Open();
        Eventually.End(waiting);
        Eventually.End(item);
    }

    [Fact]
    public void EmergencyThreads_ItemsWaitForRootWork_RunItAndEnd()
    {
        AdaptiveThreadPool pool = Create(emergencyThreads: 2);
        using var release = new Release();
        Task item = pool.Run(() => WaitsForWork(release.Task));
        Eventually.Be(pool, s => s is { Blocked: 1, Existing: 2 }, "one thread waits, and the other is kept for work in flight");

        // From outside: root work, which finds every slot of its class taken.
        Eventually.End(pool.Run(release.Open), "a lent thread runs what the item waits for");
        Eventually.End(item);
        Eventually.Be(pool, s => s is { IsDeadlocked: false, Existing: <= 2 } && s.Workers.All(w => !w.IsEmergency), "lent threads end after the deadlock");
        pool.GetSnapshot().PeakThreads.ShouldBeLessThanOrEqualTo(4);
        Eventually.Result(pool.Run(() => 1)).ShouldBe(1);
    }

    [Fact]
    public void EmergencyThreads_DeadlockStays_RunWhatElseWaits()
    {
        AdaptiveThreadPool pool = Create(emergencyThreads: 1);
        using var release = new Release();
        Task stuck = pool.Run(() => WaitsForWork(release.Task));
        Eventually.Be(pool, s => s is { Blocked: 1, Existing: 2 }, "one thread waits, and the other is kept for work in flight");
        for (int i = 0; i < 3; i++)
        {
            Task[] others = [.. Enumerable.Range(0, 20).Select(_ => pool.Run(() => { }))];
            Array.ForEach(others, item => Eventually.End(item, "the lent thread runs whatever waits"));
        }

        pool.GetSnapshot().IsDeadlocked.ShouldBeTrue("the item is still stuck");
        Eventually.Be(pool, s => s.Existing == 3, "one thread is lent");
        release.Open();
        Eventually.End(stuck);
        Eventually.Be(pool, s => s is { IsDeadlocked: false, Existing: <= 2 }, "the lent thread ends");
    }

    [Fact]
    public void Resize_UpwardsDuringADeadlock_EndsItAndStartsNoThreadsForTheRoom()
    {
        AdaptiveThreadPool pool = Create(emergencyThreads: 2);
        using var release = new Release();
        Task stuck = pool.Run(() => WaitsForWork(release.Task));
        Eventually.Be(pool, s => s is { Blocked: 1, Existing: 2 }, "one thread waits, and the other is kept for work in flight");
        Eventually.End(pool.Run(() => { }), "a lent thread runs what waits");
        Eventually.Be(pool, s => s is { IsDeadlocked: true, Existing: 4 }, "two threads are lent");
        pool.Resize(1, 1_000);
        Eventually.Be(pool, s => !s.IsDeadlocked, "there may be more threads now");
        Eventually.End(pool.Run(() => { }), "the pool grows as usual");
        pool.GetSnapshot().PeakThreads.ShouldBeLessThan(20);
        release.Open();
        Eventually.End(stuck);
    }

    /// <summary>All threads that may exist are there, and no limit says so: another class has used one of them.</summary>
    [Fact]
    public void DeadlockChanged_LimitsBelowTheMaximum_BeginsWithAllThreads()
    {
        AdaptiveThreadPool pool = Create(emergencyThreads: 0, maxThreads: 3, limit: 1);
        using var release = new Release();
        Task stuck = pool.Run(() => WaitsForWork(release.Task));
        using (var other = new WorkerGate(pool.GetClass("other").Factory, 1))
        {
            Eventually.Be(pool, s => s is { Active: 2, Existing: 3 }, "two classes have a thread each, and one is kept for work in flight");
        }

        Task waiting = pool.Run(() => { });
        Eventually.Be(pool, s => s.IsDeadlocked, "all that may run is blocked, work waits, and nothing moves");
        release.Open();
        Eventually.End(waiting);
        Eventually.End(stuck);
    }

    /// <summary>No thread is lent to a class of a fixed size, however many there might be.</summary>
    [Fact]
    public void DeadlockChanged_FixedSizeIsUsedUpFarBelowTheMaximum_BeginsAndLentThreadsRunWhatWaits()
    {
        AdaptiveThreadPool pool = Create(emergencyThreads: 1, maxThreads: AdaptivePoolOptions.DefaultMaxThreads, limit: 1);
        var told = new ConcurrentQueue<BlockingReport>();
        pool.DeadlockChanged += (_, e) => told.Enqueue(e);
        using var release = new Release();
        Task stuck = pool.Run(() => WaitsForWork(release.Task));
        Eventually.Be(pool, static s => s.Blocked == 1, "the only place of the class is taken");
        Eventually.End(pool.Run(release.Open), "a lent thread runs what the item waits for");
        Eventually.End(stuck);
        Eventually.Be(() => told.Count == 2, "begin and end are told");
        told.First().Message.ShouldContain("the size is fixed, 1 item waits");
        pool.GetSnapshot().Deadlocks.ShouldBe(1);
    }

    /// <summary>Those that were told to end take their time, and nobody else is told instead of them.</summary>
    [Fact]
    public void EmergencyThreads_EndSlowly_NoMoreEndThanWereLent()
    {
        using var threads = new SlowParkingSource();
        AdaptiveThreadPool pool = Create(emergencyThreads: 2, threads: threads);
        using var release = new Release();
        Task stuck = pool.Run(() => WaitsForWork(release.Task));
        Eventually.Be(pool, s => s is { Blocked: 1, Existing: 2 }, "one thread waits, and the other is kept for work in flight");
        Eventually.End(pool.Run(() => { }), "a lent thread runs what waits");
        Eventually.Be(pool, s => s is { IsDeadlocked: true, Existing: 4 } && pool.Set.Idle.Count == 3, "two threads are lent");
        threads.Hold();
        release.Open();
        Eventually.End(stuck);
        Eventually.Be(() => threads.Held == 2, "two are told to end");
        Eventually.Be(() => pool.Set.Idle.Count == 2, "the one that came back lies down");
        long looks = pool.Monitor.Looks;
        Eventually.Be(() => pool.Monitor.Looks > looks + 2, "the monitor looks until they have");
        (threads.Held, pool.Set.Idle.Count).ShouldBe((2, 2));
        threads.LetGo();
        Eventually.Be(pool, s => s.Existing == 2, "they end");
    }

    /// <summary>What the items wait for. Opened at the end of the test at the latest: a failure must not leave a pool that cannot end.</summary>
    private sealed class Release : IDisposable
    {
        private readonly TaskCompletionSource _source = new(TaskCreationOptions.RunContinuationsAsynchronously);

        public Task Task => _source.Task;

        public void Open() => _source.TrySetResult();

        public void Dispose() => Open();
    }

    private AdaptiveThreadPool Create(int emergencyThreads, string name = "deadlock", int maxThreads = 2, int? limit = null, ThreadSource? threads = null,
        TimeSpan? timeout = null) => CreatePool(
        new AdaptivePoolOptions
        {
            Name = name,
            MaxThreads = maxThreads,
            DeadlockTimeout = timeout ?? TimeSpan.FromMilliseconds(300),
            EmergencyThreads = emergencyThreads,
            BlockingReportInterval = Timeout.InfiniteTimeSpan,
            Sizing = limit is { } size ? PoolSizing.Fixed(size) : PoolSizing.Adaptive,
        },
        threads ?? ThreadSource.System);

    private static void WaitsForWork(Task work) => work.Wait();

    private static MeterListener Listen(string poolName, Action counted)
    {
        var listener = new MeterListener
        {
            InstrumentPublished = static (instrument, l) =>
            {
                if (instrument is { Name: MetricNames.Deadlocks, Meter.Name: MetricNames.Meter })
                {
                    l.EnableMeasurementEvents(instrument);
                }
            },
        };
        listener.SetMeasurementEventCallback<long>((_, count, tags, _) =>
        {
            if (Equals(tags[0].Value, poolName))
            {
                counted();
            }
        });
        listener.Start();
        return listener;
    }
}
