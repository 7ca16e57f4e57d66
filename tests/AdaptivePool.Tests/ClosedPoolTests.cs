namespace AdaptivePool.Tests;

/// <summary>Tasks that run on the runtime's pool because their pool is closed run what they wait for.</summary>
public sealed class ClosedPoolTests : PoolTest
{
    // The runtime's pool adds threads one after the other: children that only others could run would take minutes.
    [Fact]
    public void StartNew_ForkAndJoinWhilePoolDrains_RunsInline()
    {
        AdaptiveThreadPool pool = CreatePool();
        Task end;
        using (new WorkerGate(pool.Factory, 1))
        {
            end = pool.DisposeAsync().AsTask();
            Eventually.Result(pool.Factory.StartNew(() => Fib(pool, 14))).ShouldBe(377);
            end.IsCompleted.ShouldBeFalse();
        }

        Eventually.End(end);
    }

    // The same: a thread every half second.
    [Fact]
    public void StartNew_ForkAndJoinAfterDispose_RunsInline()
    {
        AdaptiveThreadPool pool = CreatePool();
        pool.Dispose();
        Eventually.Result(pool.Factory.StartNew(() => Fib(pool, 12))).ShouldBe(144);
    }

    /// <summary>What was accepted waits for its class, whoever waits for it.</summary>
    [Fact]
    public void Wait_OnTheRuntimesPoolWhilePoolDrains_RunsNothingThere()
    {
        AdaptiveThreadPool pool = CreateSingleThreadPool();
        Task end;
        Task<bool> waiting;
        using (new WorkerGate(pool.Factory, 1))
        {
            Task<bool> accepted = pool.Factory.StartNew(static () => Thread.CurrentThread.IsThreadPoolThread);
            end = pool.DisposeAsync().AsTask();
            using var begun = new ManualResetEventSlim();
            waiting = Task.Run(() =>
            {
                begun.Set();
                return accepted.Result;
            });
            Eventually.Set(begun, "somebody waits");
        }

        Eventually.Result(waiting).ShouldBeFalse();
        Eventually.End(end);
    }

    [Fact]
    public void RunSynchronously_ByAFunctionThatIsHandedOver_AwaitComesBackToTheScheduler()
    {
        AdaptiveThreadPool pool = CreatePool(new AdaptivePoolOptions { MinThreads = 1, MaxThreads = 1, DrainTimeout = TimeSpan.Zero });
        using (new WorkerGate(pool.Factory, 1))
        {
            Task<TaskScheduler> queued = pool.Run(() =>
            {
                var inline = new Task<Task<TaskScheduler>>(static async () =>
                {
                    await Task.Yield();
                    return TaskScheduler.Current;
                });
                inline.RunSynchronously(pool.Scheduler);
                return inline.Result;
            });
            pool.Dispose();
            Eventually.Result(queued).ShouldBeSameAs(pool.Scheduler);
        }
    }

    private static int Fib(AdaptiveThreadPool pool, int n)
    {
        if (n < 2)
        {
            return n;
        }

        Task<int> one = pool.Factory.StartNew(() => Fib(pool, n - 1));
        Task<int> two = pool.Factory.StartNew(() => Fib(pool, n - 2));
        return two.Result + one.Result;
    }
}
