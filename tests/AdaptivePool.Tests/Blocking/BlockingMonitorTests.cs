using System.Collections.Concurrent;
using AdaptivePool.Control;
using AdaptivePool.Sensing;

namespace AdaptivePool.Tests.Blocking;

/// <summary>Real pools: what the monitor sees of workers that block, and that it sleeps when nothing is held up.</summary>
public sealed class BlockingMonitorTests : PoolTest
{
    [Fact]
    public void Snapshot_WorkersOfEachKind_AreToldApart()
    {
        AdaptiveThreadPool pool = CreateFixedPool(4);
        using var open = new ManualResetEventSlim();
        int stop = 0;
        Task[] items =
        [
            pool.GetClass("waits").Run(() => open.Wait()),
            pool.GetClass("sleeps").Run(() => SleepUntil(open)),
            pool.GetClass("computes").Run(() => SpinUntil(ref stop)),
        ];
        try
        {
            Eventually.Be(pool, s => State(s, "waits") == WorkerState.BlockedManaged, "a managed wait is seen");
            Eventually.Be(pool, s => State(s, "sleeps") == WorkerState.BlockedManaged, "a sleep is seen");
            Eventually.Be(pool, s => State(s, "computes") is WorkerState.Busy or WorkerState.Preempted, "a loop computes, or would if others left it a core");
            pool.GetSnapshot().Workers.ShouldAllBe(w => w.State != WorkerState.Idle || (w.ClassName == null && w.ItemAge == TimeSpan.Zero));
        }
        finally
        {
            open.Set();
            Volatile.Write(ref stop, 1);
        }

        Array.ForEach(items, item => Eventually.End(item));
    }

    [Fact]
    public void Snapshot_MoreHogsThanCores_NoneIsTakenForBlocked()
    {
        // More than are asked for their state in one look: those whose turn it is not must not be guessed at.
        const int Hogs = 30;
        AdaptiveThreadPool pool = CreateFixedPool(Hogs);
        int stop = 0;
        Task[] items = [.. Enumerable.Range(0, Hogs).Select(_ => pool.Run(() => SpinUntil(ref stop)))];
        try
        {
            Eventually.Be(pool, s => s.Workers.Count(w => w.State is WorkerState.Busy or WorkerState.Preempted) == Hogs,
                "what computes, or would, is not blocked");
        }
        finally
        {
            Volatile.Write(ref stop, 1);
        }

        Array.ForEach(items, item => Eventually.End(item));
    }

    /// <summary>On a machine with too much to do looks come seconds apart, and what they see must still be told.</summary>
    [Fact]
    public void Snapshot_LooksSecondsApart_AHogIsNoticed()
    {
        if (!ThreadProbe.IsSupported)
        {
            return;
        }

        AdaptiveThreadPool pool = CreateFixedPool(1);
        using var pause = new ManualResetEventSlim();
        int stop = 0;
        Task item = pool.Run(() => SpinUntil(ref stop));
        try
        {
            Eventually.Be(() => !pause.Wait(TimeSpan.FromSeconds(1.05)) && State(pool.GetSnapshot(), "default") is WorkerState.Busy or WorkerState.Preempted,
                "it computes, or would");
        }
        finally
        {
            Volatile.Write(ref stop, 1);
        }

        Eventually.End(item);
    }

    [Fact]
    public void Snapshot_BlockingRead_IsBlockedInTheKernelAndNamed()
    {
        if (!OperatingSystem.IsLinux())
        {
            return;
        }

        AdaptiveThreadPool pool = CreateFixedPool(2);
        using var pipe = new System.IO.Pipes.AnonymousPipeServerStream(System.IO.Pipes.PipeDirection.Out);
        using var reader = new FileStream(new Microsoft.Win32.SafeHandles.SafeFileHandle(pipe.ClientSafePipeHandle.DangerousGetHandle(), ownsHandle: false),
            FileAccess.Read, bufferSize: 0);
        Task<int> item = pool.GetClass("reads").Run(() => reader.ReadByte());
        WorkerSnapshot? seen = null;
        try
        {
            Eventually.Be(pool, s => (seen = s.Workers.FirstOrDefault(w => w is { ClassName: "reads", State: WorkerState.BlockedKernel })) is not null,
                "a blocking read is seen");
            seen!.Kind.ShouldNotBeNull()
                .ShouldBeOneOf("system call read", "system call (its name may not be read here)",
                seen.Kind.StartsWith("kernel function ", StringComparison.Ordinal) ? seen.Kind : "system call");
            pool.GetBlockers().ShouldContain(b => b.Method == null && b.ClassName == "reads" && b.Blocked == 1);
        }
        finally
        {
            pipe.WriteByte(7);
        }

        Eventually.Result(item).ShouldBe(7);
    }

    [Fact]
    public void GetBlockers_LongWait_NamesTheMethod()
    {
        AdaptiveThreadPool pool = CreateFixedPool(1);
        var release = new TaskCompletionSource<int>(TaskCreationOptions.RunContinuationsAsynchronously);
        Task<int> item = pool.Run(() => WaitsForResult(release.Task));
        Eventually.Be(() => pool.GetBlockers()
            .Any(b => b is { Method: "AdaptivePool.Tests.Blocking.BlockingMonitorTests.WaitsForResult", Kind: "Task.Result", Blocked: 1,
            ClassName: "default" }), "the method that waits is named");
        pool.GetSnapshot().Workers.ShouldContain(w => w.Method == "AdaptivePool.Tests.Blocking.BlockingMonitorTests.WaitsForResult" && w.Kind == "Task.Result");
        release.SetResult(3);
        Eventually.Result(item).ShouldBe(3);
        Blocker ended = pool.GetBlockers().Single(b => b.Kind == "Task.Result");
        ended.Blocked.ShouldBe(0);

        // A wait on a condition can enter the hook a second time, for the lock of the condition.
        ended.Count.ShouldBeInRange(1, 2);
        ended.TotalTime.ShouldBeGreaterThanOrEqualTo(ended.LongestTime);
        ended.LongestTime.ShouldBeGreaterThan(TimeSpan.Zero);
    }

    [Fact]
    public void GetBlockers_WaitThatNobodySampled_IsNamedOnceItIsLong()
    {
        AdaptiveThreadPool pool = CreateFixedPool(1);
        Eventually.End(pool.Run(() =>
        {
            // The first eight waits are sampled; the ninth is not.
            for (int i = 0; i < 8; i++)
            {
                using var set = new AutoResetEvent(true);
                set.WaitOne();
            }
        }));
        using var open = new ManualResetEventSlim();
        Task item = pool.Run(() => WaitsForEvent(open));
        Eventually.Be(() => pool.GetBlockers()
            .Any(b => b is { Method: "AdaptivePool.Tests.Blocking.BlockingMonitorTests.WaitsForEvent", Kind: "event", Blocked: 1 }),
            "a wait of more than 20 ms names itself");
        open.Set();
        Eventually.End(item);
    }

    [Fact]
    public void GetBlockers_Sleeps_AreNamedByTheirClass()
    {
        AdaptiveThreadPool pool = CreateFixedPool(1);
        using var open = new ManualResetEventSlim();
        Task item = pool.GetClass("naps").Run(() => SleepUntil(open));
        Eventually.Be(() => pool.GetBlockers().Any(b => b is { Method: null, Kind: "Thread.Sleep", ClassName: "naps", Blocked: 1 }),
            "a sleep has no stack, but a class");
        open.Set();
        Eventually.End(item);
    }

    [Fact]
    public void BlockingReported_MostWorkersBlockedAndWorkWaits_SaysWhoBlocks()
    {
        AdaptiveThreadPool pool =
            CreatePool(new AdaptivePoolOptions { Name = "starved", MaxThreads = 3, BlockingReportInterval = TimeSpan.FromMilliseconds(100) });
        var reports = new ConcurrentQueue<BlockingReport>();
        pool.BlockingReported += (_, e) => reports.Enqueue(e);
        var release = new TaskCompletionSource<int>(TaskCreationOptions.RunContinuationsAsynchronously);
        Task<int>[] items = [.. Enumerable.Range(0, 12).Select(_ => pool.Run(() => WaitsForResult(release.Task)))];

        // Two of three workers are blocked, and one is kept free for work in flight.
        BlockingReport? report = null;
        Eventually.Be(() => (report = reports.FirstOrDefault(static r => r is { Blocked: 2, Workers: 3, Queued: 10 })) is not null, "all items are told");
        release.SetResult(1);
        Array.ForEach(items, item => Eventually.Result(item));

        report!.PoolName.ShouldBe("starved");
        report.Blockers[0].Method.ShouldBe("AdaptivePool.Tests.Blocking.BlockingMonitorTests.WaitsForResult");
        report.Message.ShouldStartWith(
            "all 2 workers with an item are blocked, 2 of them in AdaptivePool.Tests.Blocking.BlockingMonitorTests.WaitsForResult (Task.Result), oldest item "
                + "waits ");
    }

    /// <summary>The report is of the look that decided it. Workers that block and go on a thousand times a second would be found otherwise by a second
    /// look.</summary>
    [Fact]
    public void BlockingReported_WorkersBlockAndGoOnAllTheTime_SaysWhatWasTrueWhenItWasDecided()
    {
        const int Reports = 12;
        AdaptiveThreadPool pool = CreatePool(new AdaptivePoolOptions { MaxThreads = 3, BlockingReportInterval = TimeSpan.FromMilliseconds(100) });
        var reports = new ConcurrentQueue<BlockingReport>();
        pool.BlockingReported += (_, e) => reports.Enqueue(e);
        bool isOver = false;
        using var red = new ManualResetEventSlim(initialState: false, spinCount: 0);
        Task[] items = [.. Enumerable.Range(0, 4).Select(_ => pool.Run(() =>
        {
            while (!Volatile.Read(ref isOver))
            {
                red.Wait();
                SpinWait.SpinUntil(() => !red.IsSet || Volatile.Read(ref isOver));
            }
        }))];
        var lights = new Thread(() =>
        {
            using var pause = new ManualResetEventSlim();
            while (!Volatile.Read(ref isOver))
            {
                red.Reset();
                pause.Wait(TimeSpan.FromMilliseconds(1));
                red.Set();
                Thread.SpinWait(2_000);
            }

            red.Set();
        });
        lights.Start();
        Eventually.Be(() => reports.Count >= Reports, "workers that stand before a light are reported");
        Volatile.Write(ref isOver, true);
        lights.Join();
        Array.ForEach(items, item => Eventually.End(item));

        reports.ShouldAllBe(report => report.Blocked > 0 && !report.Message.StartsWith("0 of"));
    }

    /// <summary>Work waits because the others compute.</summary>
    [Fact]
    public void BlockingReported_OneOfManyWorkersIsBlocked_SaysNothing()
    {
        AdaptiveThreadPool pool = CreatePool(new AdaptivePoolOptions
        {
            MaxThreads = 6,
            Sizing = PoolSizing.Fixed(8),
            BlockingReportInterval = TimeSpan.FromMilliseconds(100),
        });
        var reports = new ConcurrentQueue<BlockingReport>();
        pool.BlockingReported += (_, e) => reports.Enqueue(e);
        using var open = new ManualResetEventSlim();
        int stop = 0;
        Task[] items = [pool.Run(open.Wait), .. Enumerable.Range(0, 4).Select(_ => pool.Run(() => SpinUntil(ref stop)))];
        try
        {
            Eventually.Be(pool, static s => s is { Active: 5, Blocked: 1 }, "one waits, and four compute");
            reports.Clear();
            Task waiting = pool.Run(() => { });
            Eventually.Be(pool, static s => s.OldestWait > TimeSpan.FromMilliseconds(300), "an item waits behind them");
            long looks = pool.Monitor.Looks;
            Eventually.Be(() => pool.Monitor.Looks > looks + 1, "that is looked at");
            reports.ShouldBeEmpty();
            open.Set();
            Eventually.End(waiting);
        }
        finally
        {
            open.Set();
            Volatile.Write(ref stop, 1);
        }

        Array.ForEach(items, item => Eventually.End(item));
    }

    [Fact]
    public void BlockingReported_HandlerThrows_IsCountedAndTheWatchGoesOn()
    {
        AdaptiveThreadPool pool = CreatePool(new AdaptivePoolOptions { MaxThreads = 1, BlockingReportInterval = TimeSpan.FromMilliseconds(100) });
        int told = 0;
        pool.BlockingReported += (_, _) =>
        {
            Interlocked.Increment(ref told);
            throw new InvalidOperationException("handler");
        };
        using (var gate = new WorkerGate(pool.Factory, 1))
        {
            _ = pool.Run(() => { });
            Eventually.Be(() => Volatile.Read(ref told) >= 2, "the second report comes although the first handler threw");
        }

        Eventually.Be(pool, static s => s.Faulted >= 2, "both are counted");
    }

    [Fact]
    public void Monitor_NothingWaits_Sleeps()
    {
        AdaptiveThreadPool pool = CreateFixedPool(2);
        Task[] items = [.. Enumerable.Range(0, 50).Select(_ => pool.Run(() => Thread.Sleep(5)))];
        Array.ForEach(items, item => Eventually.End(item));
        using var pause = new ManualResetEventSlim();

        // It may be in the middle of its last look: what counts is that it comes to rest.
        Eventually.Be(
            () =>
            {
                long before = pool.Monitor.Looks;
                pause.Wait(TimeSpan.FromMilliseconds(500));
                return pool.Monitor.Looks == before;
            },
            "the monitor sleeps for good when nothing waits");
    }

    [Fact]
    public void OldestWait_WorkWaitsAndGoes_IsItsAgeAndThenZero()
    {
        AdaptiveThreadPool pool = CreateFixedPool(2);
        using var open = new ManualResetEventSlim();
        int stop = 0;
        Task[] hogs = [.. Enumerable.Range(0, 2).Select(_ => pool.Run(() => SpinUntil(ref stop)))];
        Task waiting = pool.Run(open.Set);
        try
        {
            Eventually.Be(pool, static s => s.OldestWait > TimeSpan.FromMilliseconds(300), "an item waits behind two that run");
            open.IsSet.ShouldBeFalse();
        }
        finally
        {
            Volatile.Write(ref stop, 1);
        }

        Array.ForEach([.. hogs, waiting], item => Eventually.End(item));
        Eventually.Be(pool, static s => s.OldestWait == TimeSpan.Zero, "nothing waits any more");
    }

    private static WorkerState? State(PoolSnapshot snapshot, string className) => snapshot.Workers.FirstOrDefault(w => w.ClassName == className)?.State;

    private static int WaitsForResult(Task<int> task) => task.Result;

    private static void WaitsForEvent(ManualResetEventSlim signal) => signal.Wait();

    private static void SleepUntil(ManualResetEventSlim open)
    {
        while (!open.IsSet)
        {
            Thread.Sleep(50);
        }
    }

    private static void SpinUntil(ref int stop)
    {
        while (Volatile.Read(ref stop) == 0)
        {
            Thread.SpinWait(100);
        }
    }
}
