namespace AdaptivePool.Tests;

/// <summary>Run overloads, priorities, work items and where they run. Other aspects: AdaptiveThreadPool*Tests.</summary>
public sealed class AdaptiveThreadPoolTests : PoolTest
{
    [Fact]
    public void Run_Action_RunsOnAPoolThread()
    {
        AdaptiveThreadPool pool = CreatePool(new AdaptivePoolOptions { Name = "reports" });
        AdaptiveThreadPool? current = null;
        bool runtimePool = true;
        string? name = null;
        Eventually.End(pool.Run(() =>
        {
            current = AdaptiveThreadPool.Current;
            runtimePool = Thread.CurrentThread.IsThreadPoolThread;
            name = Thread.CurrentThread.Name;
        }));

        current.ShouldBeSameAs(pool);
        runtimePool.ShouldBeFalse();
        name.ShouldNotBeNull().ShouldContain("reports");
        pool.Name.ShouldBe("reports");
    }

    [Fact]
    public void Run_Function_GivesItsResult() => Eventually.Result(CreatePool().Run(() => 42)).ShouldBe(42);

    [Fact]
    public void Run_AsyncFunction_EndsWithItsEnd()
    {
        AdaptiveThreadPool pool = CreatePool();
        var gate = new TaskCompletionSource();
        bool ended = false;
        AdaptiveThreadPool? after = null;
        Task task = pool.Run(async () =>
        {
            await gate.Task;
            after = AdaptiveThreadPool.Current;
            ended = true;
        });

        task.IsCompleted.ShouldBeFalse();
        gate.SetResult();
        Eventually.End(task);
        ended.ShouldBeTrue();
        after.ShouldBeSameAs(pool);
    }

    [Fact]
    public void Run_AsyncFunctionWithResult_GivesItsResult()
    {
        Task<int> task = CreatePool().Run(async () =>
        {
            await Task.Yield();
            return 7;
        });
        Eventually.Result(task).ShouldBe(7);
    }

    [Fact]
    public void Run_NullDelegate_IsRefused()
    {
        AdaptiveThreadPool pool = CreatePool();
        Should.Throw<ArgumentNullException>(() => { _ = pool.Run((Action)null!); });
        Should.Throw<ArgumentNullException>(() => { _ = pool.Run((Func<int>)null!); });
        Should.Throw<ArgumentNullException>(() => { _ = pool.Run((Func<Task>)null!); });
        Should.Throw<ArgumentNullException>(() => { _ = pool.Run((Func<Task<int>>)null!); });
        Should.Throw<ArgumentNullException>(() => pool.UnsafeQueueUserWorkItem(null!, preferLocal: false));
    }

    [Fact]
    public void Run_UnknownPriority_IsRefused() =>
        Should.Throw<ArgumentOutOfRangeException>(() => { _ = CreatePool().Run(() => { }, (WorkPriority)17); });

    [Fact]
    public void Run_ItemThrows_FaultsTheTaskAndLeavesTheWorkers()
    {
        AdaptiveThreadPool pool = CreatePool();
        Task[] faulty = [.. Enumerable.Range(0, 100).Select(_ => pool.Run(() => throw new InvalidOperationException("mine")))];
        Array.ForEach(faulty, t => Eventually.Complete(t));
        faulty.ShouldAllBe(t => t.Exception!.InnerException!.Message == "mine");
        Eventually.Result(pool.Run(() => 1)).ShouldBe(1);
    }

    [Fact]
    public void Run_CancelledWhileQueued_NeverRuns()
    {
        AdaptiveThreadPool pool = CreateSingleThreadPool();
        using var cancellation = new CancellationTokenSource();
        bool ran = false;
        Task queued;
        using (var gate = new WorkerGate(pool.Factory, 1))
        {
            queued = pool.Run(() => { ran = true; }, WorkPriority.Normal, cancellation.Token);
            cancellation.Cancel();
            Eventually.Complete(queued, "a cancelled item must not wait behind the one that holds the worker");
        }

        queued.Status.ShouldBe(TaskStatus.Canceled);
        Eventually.Result(pool.Run(() => 2)).ShouldBe(2);
        ran.ShouldBeFalse();
        Eventually.Be(pool, s => s.Queued == 0, "a cancelled item leaves no count behind");
    }

    [Fact]
    public void Run_Priorities_HighBeforeNormalBeforeLow()
    {
        // Low work that has waited for too long has every second turn.
        AdaptiveThreadPool pool = CreatePool(new AdaptivePoolOptions { MinThreads = 1, MaxThreads = 1, PriorityKickUp = Timeout.InfiniteTimeSpan });
        var order = new List<WorkPriority>();
        List<Task> tasks = [];
        using (var gate = new WorkerGate(pool.Factory, 1))
        {
            foreach (WorkPriority priority in new[] { WorkPriority.Low, WorkPriority.Normal, WorkPriority.High, WorkPriority.Low, WorkPriority.Normal,
                WorkPriority.High })
            {
                tasks.Add(pool.Run(() => order.Add(priority), priority));
            }
        }

        tasks.ForEach(t => Eventually.End(t));

        // One dequeue in sixteen may look at the lowest lane first, so low work may have moved up; high and normal never change places.
        order.Where(p => p != WorkPriority.Low).ShouldBe([WorkPriority.High, WorkPriority.High, WorkPriority.Normal, WorkPriority.Normal]);
        order.Count(p => p == WorkPriority.Low).ShouldBe(2);
        order[^1].ShouldBe(WorkPriority.Low);
    }

    [Fact]
    public void Run_LowWorkUnderEndlessHighWork_GetsItsTurn()
    {
        AdaptiveThreadPool pool = CreateSingleThreadPool();
        int lowRan = 0;
        int highRuns = 0;
        using var done = new ManualResetEventSlim();
        using var gate = new WorkerGate(pool.Factory, 1);
        for (int i = 0; i < 64; i++)
        {
            _ = pool.Run(() => Interlocked.Increment(ref highRuns), WorkPriority.High);
        }

        int seen = int.MaxValue;
        Task low = pool.Run(() => { seen = Volatile.Read(ref highRuns); Interlocked.Exchange(ref lowRan, 1); }, WorkPriority.Low);
        gate.Open();
        Eventually.End(low);
        seen.ShouldBeLessThan(64, "one dequeue in sixteen looks at low work first");
    }

    [Fact]
    public void UnsafeQueueUserWorkItem_FromOutside_DoesNotFlowTheExecutionContext()
    {
        AdaptiveThreadPool pool = CreatePool();
        var ambient = new AsyncLocal<string?> { Value = "outside" };
        string? found = "not run";
        using var ran = new ManualResetEventSlim();
        pool.UnsafeQueueUserWorkItem(new CallbackItem(() => { found = ambient.Value; ran.Set(); }), preferLocal: false);
        Eventually.Set(ran, "the item must run");
        found.ShouldBeNull();
    }

    [Fact]
    public void UnsafeQueueUserWorkItem_ManyProducers_EachItemRunsExactlyOnce()
    {
        const int producers = 4;
        const int each = 25_000;
        AdaptiveThreadPool pool = CreatePool();
        var runs = new int[producers * each];
        using var left = new CountdownEvent(runs.Length);
        Thread[] threads = [.. Enumerable.Range(0, producers).Select(p => new Thread(() =>
        {
            for (int i = 0; i < each; i++)
            {
                int index = (p * each) + i;
                pool.UnsafeQueueUserWorkItem(new CallbackItem(() => { Interlocked.Increment(ref runs[index]); left.Signal(); }), preferLocal: (i & 1) == 0);
            }
        }))];
        Array.ForEach(threads, t => t.Start());
        Array.ForEach(threads, t => t.Join());

        Eventually.Zero(left, "each item must run");
        runs.ShouldAllBe(r => r == 1);
        Eventually.Be(pool, s => s.Completed == runs.Length, "submitted = completed");
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void UnsafeQueueUserWorkItem_FromAnItem_RunsEachExactlyOnce(bool preferLocal)
    {
        const int roots = 200;
        const int children = 100;
        AdaptiveThreadPool pool = CreatePool();
        var runs = new int[roots * children];
        using var left = new CountdownEvent(runs.Length);
        for (int r = 0; r < roots; r++)
        {
            int root = r;
            pool.UnsafeQueueUserWorkItem(new CallbackItem(() =>
            {
                for (int c = 0; c < children; c++)
                {
                    int index = (root * children) + c;
                    pool.UnsafeQueueUserWorkItem(new CallbackItem(() => { Interlocked.Increment(ref runs[index]); left.Signal(); }), preferLocal);
                }
            }), preferLocal: false);
        }

        Eventually.Zero(left, "each item must run");
        runs.ShouldAllBe(r => r == 1);
        Eventually.Be(pool, s => s.Completed == runs.Length + roots, "submitted = completed");
    }

    [Fact]
    public void UnsafeQueueUserWorkItem_LocalItemOfAWorkerThatBlocksOnIt_Runs()
    {
        AdaptiveThreadPool pool = CreatePool();
        using var done = new ManualResetEventSlim();
        pool.UnsafeQueueUserWorkItem(new CallbackItem(() =>
        {
            using var inner = new ManualResetEventSlim();
            pool.UnsafeQueueUserWorkItem(new CallbackItem(inner.Set), preferLocal: true);
            Eventually.Set(inner, "a lone local item behind a blocked owner must be found");
            done.Set();
        }), preferLocal: false);
        Eventually.Set(done, "the outer item must end");
    }

    [Fact]
    public void UnsafeQueueUserWorkItem_LocalItemOfAWorkerThatRunsLong_IsFoundByOthers()
    {
        AdaptiveThreadPool pool = CreateFixedPool(2);
        int innerRan = 0;
        using var done = new ManualResetEventSlim();
        pool.UnsafeQueueUserWorkItem(new CallbackItem(() =>
        {
            pool.UnsafeQueueUserWorkItem(new CallbackItem(() => Volatile.Write(ref innerRan, 1)), preferLocal: true);
            var spin = default(SpinWait);
            while (Volatile.Read(ref innerRan) == 0)
            {
                // Stays on the CPU without a wait that the pool could see.
                spin.SpinOnce(sleep1Threshold: -1);
            }

            done.Set();
        }), preferLocal: false);
        Eventually.Set(done, "a lone local item behind an owner that runs long must be taken by another worker");
    }

    [Fact]
    public void UnsafeQueueUserWorkItem_ItemThrows_IsCountedAndKillsNoWorker()
    {
        AdaptiveThreadPool pool = CreatePool();
        for (int i = 0; i < 50; i++)
        {
            pool.UnsafeQueueUserWorkItem(new CallbackItem(() => throw new InvalidOperationException("item")), preferLocal: false);
        }

        Eventually.Be(pool, s => s.Faulted == 50, "an item that throws is counted");
        Eventually.Result(pool.Run(() => 1)).ShouldBe(1);
        Eventually.Be(pool, s => s.Completed == 51, "a faulted item has completed");
    }

    [Fact]
    public void Current_OffThePool_IsNull() => AdaptiveThreadPool.Current.ShouldBeNull();

    [Fact]
    public void Factory_Always_UsesTheDefaultClassScheduler()
    {
        AdaptiveThreadPool pool = CreatePool();
        pool.Factory.Scheduler.ShouldBeSameAs(pool.Scheduler);
        pool.DefaultClass.Scheduler.ShouldBeSameAs(pool.Scheduler);
        pool.DefaultClass.Pool.ShouldBeSameAs(pool);
    }

    [Fact]
    public void SynchronizationContext_Post_RunsOnThePool()
    {
        AdaptiveThreadPool pool = CreatePool();
        AdaptiveThreadPool? current = null;
        object? given = null;
        using var ran = new ManualResetEventSlim();
        pool.SynchronizationContext.Post(state => { given = state; current = AdaptiveThreadPool.Current; ran.Set(); }, "state");
        Eventually.Set(ran, "posted work must run");
        given.ShouldBe("state");
        current.ShouldBeSameAs(pool);
    }

    [Fact]
    public void SynchronizationContext_AwaitUnderIt_ComesBackToThePool()
    {
        AdaptiveThreadPool pool = CreatePool();
        var back = new TaskCompletionSource<bool>();
        pool.SynchronizationContext.Post(async _ =>
        {
            bool all = true;
            for (int i = 0; i < 10; i++)
            {
                await Task.Delay(1);
                all &= AdaptiveThreadPool.Current == pool;
                await Task.Yield();
                all &= AdaptiveThreadPool.Current == pool;
            }

            back.SetResult(all);
        }, null);
        Eventually.Result(back.Task).ShouldBeTrue();
    }

    [Fact]
    public void Pools_TwoInOneProcess_KeepTheirWorkApart()
    {
        AdaptiveThreadPool one = CreatePool(new AdaptivePoolOptions { Name = "one" });
        AdaptiveThreadPool two = CreatePool(new AdaptivePoolOptions { Name = "two" });
        AdaptiveThreadPool?[] seen = Eventually.Result(one.Run(async () =>
        {
            AdaptiveThreadPool? first = AdaptiveThreadPool.Current;
            AdaptiveThreadPool? inner = await two.Run(() => AdaptiveThreadPool.Current);
            return new[] { first, inner, AdaptiveThreadPool.Current };
        }));
        seen.ShouldBe([one, two, one]);
    }

    /// <summary>The ring that they waited in before held 256; what came after those went to all workers, and was taken first.</summary>
    [Fact]
    public void QueuedByAnItem_ManyThatMustNotOvertake_RunInTheirOrder()
    {
        const int count = 1_000;
        AdaptiveThreadPool pool = CreatePool(new AdaptivePoolOptions { MaxThreads = 1 });
        List<int> order = [];
        using var left = new CountdownEvent(count);
        pool.UnsafeQueueUserWorkItem(
            new CallbackItem(() =>
            {
                for (int i = 0; i < count; i++)
                {
                    int number = i;
                    pool.UnsafeQueueUserWorkItem(
                        new CallbackItem(() =>
                        {
                            order.Add(number);
                            left.Signal();
                        }),
                        preferLocal: false);
                }
            }),
            preferLocal: true);
        Eventually.Zero(left, "each of them must run");
        order.ShouldBe(Enumerable.Range(0, count));
    }
}
