using AdaptivePool.Control;
using AdaptivePool.Workers;

namespace AdaptivePool.Tests.Blocking;

/// <summary>Every managed wait reaches the hook on the waiting thread, and lets in-flight work pass.</summary>
public sealed class WaitHookTests : PoolTest
{
    public static TheoryData<string> Waits =>
        ["Task.Wait", "Task.Result", "Task.WaitAll", "monitor", "lock", "Monitor.Wait", "ManualResetEvent", "ManualResetEventSlim", "SemaphoreSlim", "CountdownEvent", "Thread.Join"];

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
        AdaptiveThreadPool pool = CreatePool(new AdaptivePoolOptions { MinThreads = 1, ControllerFactory = () => new FixedController(1) });
        Task item = pool.Run(() =>
        {
            var release = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
            pool.UnsafeQueueUserWorkItem(new CallbackItem(release.SetResult), preferLocal: true);
            WaitFor(release.Task, kind);
        });
        Eventually.End(item, "what a worker waits for must run although its class has one slot");
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
    public void Wait_RootWork_IsNotLetInByTheHook()
    {
        AdaptiveThreadPool pool = CreatePool(new AdaptivePoolOptions { MinThreads = 1, ControllerFactory = () => new FixedController(1) });
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
