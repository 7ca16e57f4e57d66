namespace AdaptivePool.Tests;

/// <summary>What disposing a pool does to work: everything accepted runs, nothing more is accepted.</summary>
public sealed class AdaptiveThreadPoolDisposeTests : PoolTest
{
    [Fact]
    public void Dispose_UnusedPool_Ends()
    {
        AdaptiveThreadPool pool = CreatePool();
        pool.Dispose();
        pool.GetSnapshot().Existing.ShouldBe(0);
        Should.Throw<ObjectDisposedException>(() => pool.Run(static () => { }));
    }

    [Fact]
    public void Dispose_Twice_DoesNothingMore()
    {
        AdaptiveThreadPool pool = CreatePool();
        Eventually.End(pool.Run(() => { }));
        pool.Dispose();
        pool.Dispose();
        Eventually.End(pool.DisposeAsync().AsTask());
        PoolSnapshot end = pool.GetSnapshot();
        (end.Completed, end.Existing).ShouldBe((1, 0));
    }

    [Theory]
    [InlineData(1)]
    [InlineData(4)]
    public void DisposeAsync_WorkQueued_RunsAllOfIt(int threads)
    {
        AdaptiveThreadPool pool = CreatePool(new AdaptivePoolOptions { MinThreads = 1, MaxThreads = threads });
        int runs = 0;
        using (var gate = new WorkerGate(pool.Factory, 1))
        {
            for (int i = 0; i < 2_000; i++)
            {
                _ = pool.Run(() => Interlocked.Increment(ref runs), (WorkPriority)(i % 3));
            }

            Task disposal = pool.DisposeAsync().AsTask();
            disposal.IsCompleted.ShouldBeFalse();
            gate.Open();
            Eventually.End(disposal, "disposing ends when accepted work has ended");
        }

        runs.ShouldBe(2_000);
        pool.GetSnapshot().Existing.ShouldBe(0);
    }

    [Fact]
    public void DisposeAsync_ItemsThatQueueItems_RunsTheirs()
    {
        AdaptiveThreadPool pool = CreatePool();
        using var started = new ManualResetEventSlim();
        using var open = new ManualResetEventSlim();
        int runs = 0;
        pool.UnsafeQueueUserWorkItem(new CallbackItem(() =>
        {
            started.Set();
            open.Wait();
            for (int i = 0; i < 10; i++)
            {
                pool.UnsafeQueueUserWorkItem(new CallbackItem(() => Interlocked.Increment(ref runs)), preferLocal: true);
            }
        }), preferLocal: false);
        Eventually.Set(started, "the item must start");

        Task disposal = pool.DisposeAsync().AsTask();
        open.Set();
        Eventually.End(disposal);
        Eventually.Be(() => Volatile.Read(ref runs) == 10, "what accepted work queues continues it and must run");
    }

    [Fact]
    public void DisposeAsync_AcceptedWorkAwaits_ItsContinuationsStillRun()
    {
        AdaptiveThreadPool pool = CreatePool();
        var gate = new TaskCompletionSource();
        using var waiting = new ManualResetEventSlim();
        Task<int> flow = pool.Run(async () =>
        {
            waiting.Set();
            await gate.Task;
            await Task.Yield();
            return 5;
        });
        Eventually.Set(waiting, "the flow must start");

        Task disposal = pool.DisposeAsync().AsTask();
        gate.SetResult();
        Eventually.Result(flow, "a continuation of accepted work must run somewhere").ShouldBe(5);
        Eventually.End(disposal);
    }

    [Fact]
    public void DisposeAsync_FlowResumedLongAfterTheEnd_StillRuns()
    {
        AdaptiveThreadPool pool = CreatePool();
        var gate = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        Task flow = null!;
        Eventually.End(pool.Run(() => { flow = Continue(); }));
        Eventually.End(pool.DisposeAsync().AsTask());

        gate.SetResult();
        Eventually.End(flow, "continuations after the end fall back to the runtime's pool");

        async Task Continue() => await gate.Task;
    }

    [Fact]
    public void Dispose_UsedPool_LeavesNoThreadAndCanBeCollected()
    {
        WeakReference pool = UseAndDispose();
        Eventually.Go(pool, "neither a static nor a thread may keep a disposed pool");

        [System.Runtime.CompilerServices.MethodImpl(System.Runtime.CompilerServices.MethodImplOptions.NoInlining)]
        static WeakReference UseAndDispose()
        {
            var pool = new AdaptiveThreadPool(new AdaptivePoolOptions { Name = "collectable" });
            Task[] tasks = [.. Enumerable.Range(0, 50).Select(_ => pool.Run(async () => await Task.Yield()))];
            Array.ForEach(tasks, t => Eventually.End(t));
            pool.Dispose();
            return new WeakReference(pool);
        }
    }

    [Fact]
    public void DisposeAsync_WhileItRunsAnItem_TheItemsWorkForOtherClassesIsAccepted()
    {
        AdaptiveThreadPool pool = CreatePool();
        WorkClass other = pool.GetClass("other");
        using var open = new ManualResetEventSlim();
        int ran = 0;
        Task all = pool.GetClass("own").Run(async () =>
        {
            open.Wait(Eventually.Patience);
            Task[] started =
            [
                other.Run(() => { Interlocked.Increment(ref ran); }),
                other.Run(() => Interlocked.Increment(ref ran)),
                other.Run(async () => { await Task.Yield(); Interlocked.Increment(ref ran); }),
                other.Run(async () => { await Task.Yield(); return Interlocked.Increment(ref ran); }),
                other.RunFor("tenant", () => Interlocked.Increment(ref ran)),
                other.RunRouted(1, () => Interlocked.Increment(ref ran)),
                other.AsSequential().Run(() => Interlocked.Increment(ref ran)),
                other.Factory.StartNew(() => Interlocked.Increment(ref ran)),
            ];
            other.QueueUserWorkItem(_ => Interlocked.Increment(ref ran));
            other.UnsafeQueueUserWorkItemFor("tenant", new CallbackItem(() => Interlocked.Increment(ref ran)));
            Should.Throw<ObjectDisposedException>(
                () => other.UnsafeQueueRootWork(new CallbackItem(() => { })), "a server's next request is new, wherever it was read");
            await Task.WhenAll(started);
        });
        Task end = pool.DisposeAsync().AsTask();
        open.Set();
        Eventually.End(all);
        Eventually.End(end);
        ran.ShouldBe(10);
    }

    [Fact]
    public void Run_AfterDispose_ThrowsObjectDisposedException()
    {
        AdaptiveThreadPool pool = CreatePool(new AdaptivePoolOptions { Name = "gone" });
        pool.Dispose();
        Should.Throw<ObjectDisposedException>(() => { _ = pool.Run(() => { }); });
        Should.Throw<ObjectDisposedException>(() => { _ = pool.Run(() => 1); });
        Should.Throw<ObjectDisposedException>(() => { _ = pool.Run(() => Task.CompletedTask); });
        Should.Throw<ObjectDisposedException>(() => { _ = pool.Run(() => Task.FromResult(1)); });
        Should.Throw<ObjectDisposedException>(() => pool.UnsafeQueueUserWorkItem(new CallbackItem(() => { }), preferLocal: false));
        Should.Throw<ObjectDisposedException>(() => pool.DefaultClass.UnsafeQueueRootWork(new CallbackItem(() => { })));
    }

    [Fact]
    public void Run_AfterDispose_LeavesNothingWithTheToken()
    {
        AdaptiveThreadPool pool = CreatePool();
        WorkClass named = pool.GetClass("named");
        pool.Dispose();
        using var source = new CancellationTokenSource();
        CancellationToken token = source.Token;
        WeakReference[] states =
        [
            Refused(state => pool.Run(() => GC.KeepAlive(state), cancellationToken: token)),
            Refused(state => pool.Run(() => state, cancellationToken: token)),
            Refused(state => pool.Run(() => Task.FromException(new InvalidOperationException(state.ToString())), cancellationToken: token)),
            Refused(state => pool.Run(() => Task.FromResult(state), cancellationToken: token)),
            Refused(state => named.RunFor("tenant", () => GC.KeepAlive(state), token)),
            Refused(state => named.RunRouted(1, () => GC.KeepAlive(state), token)),
        ];
        GC.Collect();
        states.Select(static state => state.IsAlive).ShouldAllBe(static isAlive => !isAlive);

        [System.Runtime.CompilerServices.MethodImpl(System.Runtime.CompilerServices.MethodImplOptions.NoInlining)]
        static WeakReference Refused(Func<object, Task> run)
        {
            object state = new();
            Should.Throw<ObjectDisposedException>(() => { _ = run(state); });
            return new WeakReference(state);
        }
    }

    [Fact]
    public void StartNew_AfterDispose_RunsOnTheRuntimePoolUnderTheScheduler()
    {
        AdaptiveThreadPool pool = CreatePool();
        AdaptiveTaskScheduler[] schedulers = [pool.Scheduler, pool.GetClass("other").Scheduler, pool.Scheduler.WithoutSynchronizationContext];
        pool.Dispose();
        foreach (AdaptiveTaskScheduler scheduler in schedulers)
        {
            foreach (TaskCreationOptions options in new[] { TaskCreationOptions.None, TaskCreationOptions.PreferFairness, TaskCreationOptions.LongRunning })
            {
                (bool runtimePool, TaskScheduler current) = Eventually.Result(
                    Task.Factory.StartNew(() => (Thread.CurrentThread.IsThreadPoolThread, TaskScheduler.Current), CancellationToken.None, options, scheduler));
                runtimePool.ShouldBeTrue();
                current.ShouldBeSameAs(scheduler);
            }

            Eventually.End(Task.Run(() => new Task(() => { }).RunSynchronously(scheduler)));
        }
    }

    [Fact]
    public void StartNew_LongRunningConsumerAwaits_GoesOnAfterTheEnd()
    {
        // Its continuations come back by the scheduler: a LongRunning thread has no context. Resumed by a channel, an exception of QueueTask would end the
        // process.
        AdaptiveThreadPool pool = CreatePool();
        var channel = System.Threading.Channels.Channel.CreateUnbounded<int>();
        using var waiting = new ManualResetEventSlim();
        Task<int> consumer = pool.Factory.StartNew(
            async () =>
            {
                int sum = 0;
                waiting.Set();
                await foreach (int item in channel.Reader.ReadAllAsync())
                {
                    sum += item;
                    await Task.Delay(1);
                }

                return sum;
            },
            TaskCreationOptions.LongRunning).Unwrap();
        Eventually.Set(waiting, "the consumer must start");
        pool.Dispose();
        for (int i = 1; i <= 10; i++)
        {
            channel.Writer.TryWrite(i).ShouldBeTrue();
        }

        channel.Writer.Complete();
        Eventually.Result(consumer, "a function that was accepted must end").ShouldBe(55);
    }

    [Fact]
    public void ContinueWith_AfterDispose_RunsOnTheRuntimePool()
    {
        AdaptiveThreadPool pool = CreatePool();
        var antecedent = new TaskCompletionSource<int>();
        Task<bool> continuation =
            antecedent.Task.ContinueWith(_ => Thread.CurrentThread.IsThreadPoolThread, CancellationToken.None, TaskContinuationOptions.None, pool.Scheduler);
        pool.Dispose();

        antecedent.SetResult(1);
        Eventually.Result(continuation).ShouldBeTrue();
    }

    [Fact]
    public void DisposeAsync_DrainTimeoutOver_WhatIsQueuedStillRuns()
    {
        AdaptiveThreadPool pool = CreatePool(new AdaptivePoolOptions { MinThreads = 1, MaxThreads = 1, DrainTimeout = TimeSpan.FromMilliseconds(50) });
        using var gate = new WorkerGate(pool.Factory, 1);
        Task<int>[] queued = [.. Enumerable.Range(0, 20).Select(i => pool.Run(() => i))];

        Eventually.End(pool.DisposeAsync().AsTask(), "the drain timeout ends the wait although an item is stuck");
        queued.Select(t => Eventually.Result(t, "what has not started is handed to the runtime's pool")).Sum().ShouldBe(190);
        gate.Open();
    }

    // Without it an async void method that throws would end the process.
    [Fact]
    public void Run_HandedOverAtTheEnd_HasTheContextThatItHasOnAWorker()
    {
        AdaptiveThreadPool pool = CreatePool(new AdaptivePoolOptions { MinThreads = 1, MaxThreads = 1, DrainTimeout = TimeSpan.Zero });
        using (new WorkerGate(pool.Factory, 1))
        {
            Task<SynchronizationContext?> queued = pool.Run(static () => SynchronizationContext.Current);
            pool.Dispose();
            Eventually.Result(queued).ShouldBeSameAs(pool.SynchronizationContext);
        }
    }

    [Fact]
    public void Dispose_FromAnItemOfThePool_DoesNotWaitForItself()
    {
        AdaptiveThreadPool pool = CreatePool();
        Eventually.End(pool.Run(pool.Dispose), "a pool disposed from inside must not wait for its own caller");
        Should.Throw<ObjectDisposedException>(() => { _ = pool.Run(() => { }); });
    }

    [Fact]
    public void DisposeAsync_AwaitedByAnItemOfThePool_DoesNotWaitForItself()
    {
        AdaptiveThreadPool pool = CreatePool();
        Eventually.End(pool.Run(async () => await pool.DisposeAsync()), "a pool disposed from inside must not wait for its own caller");
    }

    [Fact]
    public void Dispose_WhileProducersQueue_EveryAcceptedItemRuns()
    {
        for (int round = 0; round < 20; round++)
        {
            AdaptiveThreadPool pool = CreatePool(new AdaptivePoolOptions { MinThreads = 1 });
            int accepted = 0;
            int completed = 0;
            using var begun = new CountdownEvent(3);
            Thread[] producers = [.. Enumerable.Range(0, 3).Select(p => new Thread(() =>
            {
                var item = new CallbackItem(() => Interlocked.Increment(ref completed));
                bool first = true;
                while (true)
                {
                    try
                    {
                        pool.UnsafeQueueUserWorkItem(item, preferLocal: false);
                        Interlocked.Increment(ref accepted);
                    }
                    catch (ObjectDisposedException)
                    {
                        return;
                    }

                    if (first)
                    {
                        first = false;
                        begun.Signal();
                    }
                }
            }))];
            Array.ForEach(producers, t => t.Start());
            Eventually.Zero(begun, "producers must get work accepted");
            Eventually.End(pool.DisposeAsync().AsTask());
            Array.ForEach(producers, t => t.Join());
            Eventually.Be(() => Volatile.Read(ref completed) == Volatile.Read(ref accepted), "accepted = completed");
        }
    }
}
