using System.Diagnostics;
using System.Runtime.CompilerServices;
using AdaptivePool.Control;
using AdaptivePool.Dispatch;

namespace AdaptivePool.Tests.Dispatch;

/// <summary>Every managed wait reaches the hook on the waiting thread, and lets in-flight work pass.</summary>
public sealed class WaitHookTests : PoolTest
{
    public static TheoryData<string> Waits =>
        ["Task.Wait", "Task.Result", "Task.WaitAll", "monitor", "lock", "Monitor.Wait", "ManualResetEvent", "ManualResetEventSlim", "SemaphoreSlim",
            "CountdownEvent", "Thread.Join"];

    [Theory]
    [MemberData(nameof(Waits))]
    public void Wait_OnAWorker_IsSeenAndEnds(string kind)
    {
        AdaptiveThreadPool pool = CreateSingleThreadPool();
        var release = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        Task item = pool.Run(() => WaitFor(release.Task, kind));
        try
        {
            Eventually.Be(() => pool.Set.Workers.Any(w => w is { Blocked: true }), "the hook marks the worker");
        }
        finally
        {
            release.SetResult();
        }

        Eventually.End(item);
        Eventually.Result(pool.Run(() => Worker.Current!.Blocked)).ShouldBeFalse("after the wait the worker is marked no longer");
    }

    [Theory]
    [MemberData(nameof(Waits))]
    public void Wait_ForAnItemQueuedByTheWaiter_LetsItPass(string kind)
    {
        AdaptiveThreadPool pool = CreatePool(new AdaptivePoolOptions { MinThreads = 1, Sizing = PoolSizing.Fixed(1) });
        Task item = pool.Run(() =>
        {
            var release = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
            pool.UnsafeQueueUserWorkItem(new CallbackItem(release.SetResult), preferLocal: true);
            WaitFor(release.Task, kind);
        });
        Eventually.End(item, "what a worker waits for must run although its class has one slot");
    }

    /// <summary>Long waits are made of two, so that the pool can name them in between.</summary>
    [Fact]
    public void Wait_LongOne_LastsAsLongAsItWasAskedFor()
    {
        AdaptiveThreadPool pool = CreateSingleThreadPool();
        TimeSpan asked = TimeSpan.FromMilliseconds(80);
        TimeSpan waited = Eventually.Result(pool.Run(() =>
        {
            using var never = new ManualResetEvent(false);
            long start = Stopwatch.GetTimestamp();
            never.WaitOne(asked).ShouldBeFalse();
            return Stopwatch.GetElapsedTime(start);
        }));
        waited.ShouldBeGreaterThan(asked / 2, "the second wait takes what the first has left");
    }

    [Theory]
    [InlineData(0)]
    [InlineData(10_000)]
    public void WaitAny_OnAWorker_TellsWhichWasSet(int milliseconds)
    {
        AdaptiveThreadPool pool = CreateSingleThreadPool();
        int[] told = Eventually.Result(pool.Run(() =>
        {
            using var first = new ManualResetEvent(false);
            using var second = new ManualResetEvent(true);
            return new[] { WaitHandle.WaitAny([first, second], milliseconds), WaitHandle.WaitAny([second, first], milliseconds) };
        }));
        told.ShouldBe([1, 0]);
    }

    [Fact]
    public void Wait_TimesOut_LeavesTheWorkerUnmarked()
    {
        AdaptiveThreadPool pool = CreateSingleThreadPool();
        bool marked = Eventually.Result(pool.Run(() =>
        {
            using var never = new ManualResetEvent(false);
            never.WaitOne(TimeSpan.FromMilliseconds(5)).ShouldBeFalse();
            return Worker.Current!.Blocked;
        }));
        marked.ShouldBeFalse();
    }

    [Fact]
    public void Wait_Interrupted_LeavesTheWorkerUnmarked()
    {
        AdaptiveThreadPool pool = CreateSingleThreadPool();
        Thread? thread = null;
        Task<bool> item = pool.Run(() =>
        {
            Volatile.Write(ref thread, Thread.CurrentThread);
            using var never = new ManualResetEvent(false);
            try
            {
                never.WaitOne();
            }
            catch (ThreadInterruptedException)
            {
                return Worker.Current!.Blocked;
            }

            return true;
        });
        Eventually.Be(() => pool.Set.Workers.Any(w => w is { Blocked: true }), "the item waits");
        thread!.Interrupt();
        Eventually.Result(item).ShouldBeFalse();
        Eventually.Result(pool.Run(() => 1)).ShouldBe(1);
    }

    [Fact]
    public void Wait_HookFails_LeavesTheWorkerUnmarked()
    {
        // One worker, and the system refuses more: at each wait the hook asks for another.
        AdaptiveThreadPool pool = CreatePool(new AdaptivePoolOptions { MinThreads = 1 }, new FailingThreadSource(2));
        Action before = pool.Set.RequestThreads;
        Eventually.Result(pool.Run(() =>
        {
            using var never = new ManualResetEvent(false);
            pool.Set.RequestThreads = () => (Worker.Current is null ? before : static () => throw new InvalidOperationException("injected"))();
            Should.Throw<InvalidOperationException>(() => never.WaitOne(5));
            pool.Set.RequestThreads = before;
            return Worker.Current!.Blocked;
        })).ShouldBeFalse();
    }

    [Fact]
    public void Wait_WhoseEndWasLost_EndsWithItsItem()
    {
        AdaptiveThreadPool pool = CreateSingleThreadPool();
        Eventually.Result(pool.Run(() =>
        {
            Worker.Current!.EnterWait(null);
            Worker.Current!.EnterWait(null);
            return Worker.Current.Blocked;
        })).ShouldBeTrue();
        Eventually.Result(pool.Run(() => Worker.Current!.Blocked)).ShouldBeFalse("nothing leaks from one item to the next");
    }

    [Fact]
    public void Wait_OnADeepStack_IsNotLookedAt()
    {
        AdaptiveThreadPool pool = CreateSingleThreadPool();
        Eventually.Result(pool.Run(() => WaitsDeep(1_000))).ShouldBeGreaterThan(0);
        pool.GetBlockers().ShouldNotContain(blocker => blocker.Method != null && blocker.Method.EndsWith("WaitsDeep", StringComparison.Ordinal),
            "the look would cost more than it is worth");
        Eventually.Result(pool.Run(() => WaitsDeep(1))).ShouldBeGreaterThan(0);
        pool.GetBlockers().ShouldContain(blocker => blocker.Method != null && blocker.Method.EndsWith("WaitsDeep", StringComparison.Ordinal),
            "other first waits of a class are");
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static int WaitsDeep(int depth)
    {
        // More than 64 KiB of stack at a thousand of these.
        Span<long> room = stackalloc long[16];
        room.Fill(depth);
        if (depth > 1)
        {
            return WaitsDeep(depth - 1) + (int)room[15];
        }

        using var never = new ManualResetEvent(false);
        never.WaitOne(5);
        return (int)room[0];
    }

    [Fact]
    public void PushLocal_FromAWait_OffersNothing()
    {
        AdaptiveThreadPool pool = CreatePool();
        using var ran = new ManualResetEventSlim();
        Eventually.Result(pool.Run(() =>
        {
            using (BlockingScope.Enter())
            {
                pool.UnsafeQueueUserWorkItem(new CallbackItem(ran.Set), preferLocal: true);
                return !pool.Set.Spare.IsEmpty;
            }
        })).ShouldBeFalse("the item went to the queue that all share");
        Eventually.Set(ran, "it runs");
    }

    [Fact]
    public void Sizing_WorkerWhoseLocalWorkWasTaken_Sleeps()
    {
        AdaptiveThreadPool pool = CreatePool();
        using var ran = new CountdownEvent(2);
        using var open = new ManualResetEventSlim();
        Task item = pool.Run(() =>
        {
            // Others take what is pushed here; what is known of the worker may be out of date until somebody looks.
            pool.UnsafeQueueUserWorkItem(new CallbackItem(() => ran.Signal()), preferLocal: true);
            pool.UnsafeQueueUserWorkItem(new CallbackItem(() => ran.Signal()), preferLocal: true);
            while (!open.IsSet)
            {
                Thread.Sleep(1);
            }
        });
        try
        {
            Eventually.Zero(ran, "thieves take the local work");
            Eventually.Be(() => pool.Sizing.IsAsleep, "there is nothing to look at often");
        }
        finally
        {
            open.Set();
        }

        Eventually.End(item);
    }

    [Fact]
    public void Wait_RootWork_IsNotLetInByTheHook()
    {
        AdaptiveThreadPool pool = CreatePool(new AdaptivePoolOptions { MinThreads = 1, Sizing = PoolSizing.Fixed(1) });
        using var inFlightRan = new ManualResetEventSlim();
        int rootRan = 0;
        Task root;
        using (var gate = new WorkerGate(pool.Factory, 1))
        {
            root = pool.Run(() => Volatile.Write(ref rootRan, 1));

            // In-flight work passes the blocked worker; root work, which was there before it, must not use the same door.
            pool.SynchronizationContext.Post(_ => inFlightRan.Set(), null);
            Eventually.Set(inFlightRan, "a continuation runs while the only slot of the class is blocked");
            Volatile.Read(ref rootRan).ShouldBe(0);
        }

        Eventually.End(root);
    }

    [Fact]
    public void Wait_ThatReachesTheHook_AllocatesTheArrayOfItsHandlesOnly()
    {
        AdaptiveThreadPool pool = CreateSingleThreadPool();
        Eventually.Result(pool.Run(() =>
        {
            using var signal = new AutoResetEvent(false);
            void Wait()
            {
                signal.Set();
                signal.WaitOne();
            }

            // The first eight waits of a class, and one in 64 later, are looked at.
            for (int i = 0; i < 8; i++)
            {
                Wait();
            }

            return Allocation.Of(Wait);
        })).ShouldBe(32);
    }

    [Fact]
    public void Wait_UncontendedLockOrCompletedTask_AllocatesNothing()
    {
        AdaptiveThreadPool pool = CreateSingleThreadPool();
        Eventually.Result(pool.Run(() =>
        {
            var gate = new object();
            return Allocation.Of(() =>
            {
                lock (gate)
                {
                    Task.CompletedTask.Wait();
                }
            });
        })).ShouldBe(0);
    }

    [Theory]
    [InlineData(60)]
    [InlineData(5)]
    public void Wait_TimesOut_SaysSo(int milliseconds)
    {
        AdaptiveThreadPool pool = CreateSingleThreadPool();
        Eventually.Result(pool.Run(() =>
        {
            using var never = new ManualResetEvent(false);
            using var neverSlim = new ManualResetEventSlim();
            return never.WaitOne(milliseconds) || neverSlim.Wait(milliseconds);
        })).ShouldBeFalse();
    }

    private static void WaitFor(Task release, string kind)
    {
        using var reset = new ManualResetEvent(false);
        using var slim = new ManualResetEventSlim();
        using var semaphore = new SemaphoreSlim(0);
        using var countdown = new CountdownEvent(1);
        var gate = new object();
        var exclusive = new Lock();

        // A thread that is not the pool's passes the end of the task on, so that only the primitive under test blocks the worker.
        using var ready = new ManualResetEventSlim();
        var helper = new Thread(() =>
        {
            lock (gate)
            {
                lock (exclusive)
                {
                    ready.Set();
                    ((IAsyncResult)release).AsyncWaitHandle.WaitOne();
                    Monitor.PulseAll(gate);
                }
            }

            reset.Set();
            slim.Set();
            semaphore.Release();
            countdown.Signal();
        })
        { IsBackground = true };

        if (kind == "Monitor.Wait")
        {
            lock (gate)
            {
                helper.Start();
                Monitor.Wait(gate);
            }
        }
        else
        {
            helper.Start();
            while (!ready.IsSet)
            {
                Thread.SpinWait(100);
            }
        }

        switch (kind)
        {
            case "Task.Wait":
                release.Wait();
                break;
            case "Task.Result":
                release.ContinueWith(_ => 1, TaskScheduler.Default).Result.ShouldBe(1);
                break;
            case "Task.WaitAll":
                Task.WaitAll(release, Task.CompletedTask);
                break;
            case "monitor":
                lock (gate)
                {
                }

                break;
            case "lock":
                lock (exclusive)
                {
                }

                break;
            case "ManualResetEvent":
                reset.WaitOne();
                break;
            case "ManualResetEventSlim":
                slim.Wait();
                break;
            case "SemaphoreSlim":
                semaphore.Wait();
                break;
            case "CountdownEvent":
                countdown.Wait();
                break;
        }

        helper.Join();
    }
}
