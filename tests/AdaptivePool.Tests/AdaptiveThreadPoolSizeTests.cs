using AdaptivePool.Control;

namespace AdaptivePool.Tests;

/// <summary>Bounds, growth, retirement, and what the pool says about them.</summary>
public sealed class AdaptiveThreadPoolSizeTests : PoolTest
{
    [Fact]
    public void MaxThreadsOne_FullRun_NeverUsesASecondThread()
    {
        AdaptiveThreadPool pool = CreateSingleThreadPool();
        var threads = new System.Collections.Concurrent.ConcurrentDictionary<int, bool>();
        int running = 0;
        int most = 0;
        void Item()
        {
            int now = Interlocked.Increment(ref running);
            most = Math.Max(most, now);
            threads[Environment.CurrentManagedThreadId] = true;
            Interlocked.Decrement(ref running);
        }

        List<Task> tasks = [];
        for (int i = 0; i < 500; i++)
        {
            tasks.Add(pool.Run(Item));
            tasks.Add(pool.GetClass("other").Run(Item));
            tasks.Add(pool.Run(async () => { await Task.Yield(); Item(); await Task.Delay(1); Item(); }));
            tasks.Add(pool.Factory.StartNew(() => { Item(); pool.Factory.StartNew(Item).Wait(); }));
            pool.UnsafeQueueUserWorkItem(new CallbackItem(Item), preferLocal: false);
        }

        tasks.ForEach(t => Eventually.End(t));
        threads.Count.ShouldBe(1);
        most.ShouldBe(1);
        pool.GetSnapshot().PeakThreads.ShouldBe(1);
    }

    [Fact]
    public void GetSnapshot_FreshPool_HasNothingToSay()
    {
        AdaptiveThreadPool pool = CreatePool(new AdaptivePoolOptions { Name = "fresh", MinThreads = 1, MaxThreads = 7 });
        PoolSnapshot snapshot = pool.GetSnapshot();
        snapshot.Name.ShouldBe("fresh");
        snapshot.MinThreads.ShouldBe(1);
        snapshot.MaxThreads.ShouldBe(7);
        snapshot.Completed.ShouldBe(0);
        snapshot.Queued.ShouldBe(0);
        snapshot.Active.ShouldBe(0);
        snapshot.Rescues.ShouldBe(0);
        snapshot.Target.ShouldBeInRange(1, 7);
    }

    [Fact]
    public void GetSnapshot_AtQuiescence_NumbersAgree()
    {
        AdaptiveThreadPool pool = CreatePool();
        WorkClass other = pool.GetClass("other");
        const int each = 3_000;
        Task[] tasks = [.. Enumerable.Range(0, each).SelectMany(i => new Task[] { pool.Run(() => { }), other.Run(() => { }) })];
        Array.ForEach(tasks, t => Eventually.End(t));

        PoolSnapshot? end = null;
        Eventually.Be(pool, s => (end = s) is { Active: 0, Queued: 0 } && s.Existing == s.Idle, "everything ends idle");
        end!.Completed.ShouldBe(2 * each);
        end.Faulted.ShouldBe(0);
        end.Blocked.ShouldBe(0);
        end.Running.ShouldBe(0);
        end.PeakThreads.ShouldBeInRange(1, (int)end.ThreadsCreated);
        end.ThreadsCreated.ShouldBeGreaterThanOrEqualTo(end.Existing);
        end.ThreadCreationFailures.ShouldBe(0);
        end.UselessWakes.ShouldBeLessThanOrEqualTo(end.Wakes);
        end.LongRunning.ShouldBe(0);
        end.Classes.Single(c => c.Name == "other").Completed.ShouldBe(each);
        end.Classes.Single(c => c.Name == pool.DefaultClass.Name).Completed.ShouldBe(each);
        end.Classes.ShouldAllBe(c => c.Active == 0 && c.Queued == 0 && c.Limit >= 1);
        other.GetSnapshot().Completed.ShouldBe(each);
    }

    [Fact]
    public void GetSnapshot_WorkersHeldAndWorkQueued_ShowsBoth()
    {
        AdaptiveThreadPool pool = CreateSingleThreadPool();
        using var gate = new WorkerGate(pool.Factory, 1);
        Task[] queued = [.. Enumerable.Range(0, 10).Select(_ => pool.Run(() => { }))];

        PoolSnapshot snapshot = pool.GetSnapshot();
        snapshot.Active.ShouldBe(1);
        snapshot.Queued.ShouldBe(10);
        snapshot.Existing.ShouldBe(1);
        snapshot.Idle.ShouldBe(0);
        Eventually.Be(pool, s => s.Blocked == 1, "a worker in a managed wait counts as blocked");
        gate.Open();
        Array.ForEach(queued, t => Eventually.End(t));
    }

    [Fact]
    public void GetSnapshot_LongRunningTask_IsCountedApart()
    {
        AdaptiveThreadPool pool = CreatePool();
        using var open = new ManualResetEventSlim();
        Task task = pool.Factory.StartNew(open.Wait, TaskCreationOptions.LongRunning);
        Eventually.Be(pool, s => s is { LongRunning: 1, Active: 0 }, "a long-running task holds no worker");
        open.Set();
        Eventually.End(task);
        Eventually.Be(pool, s => s.LongRunning == 0, "the thread of a long-running task ends with it");
    }

    [Fact]
    public void FixedController_ManyBlockedItems_RunsExactlyItsSize()
    {
        AdaptiveThreadPool pool = CreateFixedPool(4);
        int running = 0;
        int most = 0;
        var guard = new object();
        Task[] tasks = [.. Enumerable.Range(0, 60).Select(_ => pool.Run(() =>
        {
            lock (guard)
            {
                most = Math.Max(most, ++running);
            }

            Thread.Sleep(5);
            lock (guard)
            {
                running--;
            }
        }))];
        Array.ForEach(tasks, t => Eventually.End(t));
        most.ShouldBeLessThanOrEqualTo(4);
        pool.GetSnapshot().Classes.ShouldContain(c => c.Limit == 4);
    }

    [Fact]
    public void FixedController_AsManyItemsAsItsSize_RunTogether()
    {
        AdaptiveThreadPool pool = CreateFixedPool(6);
        using var gate = new WorkerGate(pool.Factory, 6);
        Eventually.Be(pool, s => s.Active == 6, "all six hold an item");
    }

    [Fact]
    public void IdleTimeout_AfterABurst_ThreadsRetireToMinThreads()
    {
        AdaptiveThreadPool pool = CreatePool(new AdaptivePoolOptions
        {
            MinThreads = 2,
            IdleTimeout = TimeSpan.FromMilliseconds(100),
            Sizing = PoolSizing.Fixed(12),
        });
        using (new WorkerGate(pool.Factory, 12))
        {
            pool.GetSnapshot().Existing.ShouldBeGreaterThanOrEqualTo(12);
        }

        Eventually.Be(pool, s => s.Existing == 2, "superfluous threads end after the idle timeout, down to MinThreads");
        Eventually.Result(pool.Run(() => 4)).ShouldBe(4);
        using (new WorkerGate(pool.Factory, 12))
        {
            pool.GetSnapshot().Existing.ShouldBeGreaterThanOrEqualTo(12);
        }
    }

    [Fact]
    public void Resize_NewBounds_AreInForceAndSaidWhy()
    {
        AdaptiveThreadPool pool = CreatePool(new AdaptivePoolOptions { MinThreads = 1, MaxThreads = 2 });
        pool.Resize(3, 9);
        Eventually.Be(pool, s => s is { MinThreads: 3, MaxThreads: 9 }, "the new bounds come into force");
        Eventually.Be(pool, s => s.Target >= 3, "the target follows the bounds");
        AwaitDecision(pool, DecisionReason.ManualResize);
    }

    // The clock of sizing leaves out what the process stood still; a decision is told with the time that a program can compare with its own.
    [Fact]
    public void Decisions_TheProcessHasStoodStill_TimeIsThatSinceThePoolWasCreated()
    {
        AdaptiveThreadPool pool = CreatePool(new AdaptivePoolOptions { MinThreads = 1, MaxThreads = 2 });
        long created = System.Diagnostics.Stopwatch.GetTimestamp();
        TimeSpan before = GC.GetTotalPauseDuration();
        while (GC.GetTotalPauseDuration() - before < TimeSpan.FromSeconds(0.5))
        {
            GC.Collect();
        }

        TimeSpan resized = System.Diagnostics.Stopwatch.GetElapsedTime(created);
        pool.Resize(1, 3);
        AwaitDecision(pool, DecisionReason.ManualResize).At.ShouldBeGreaterThanOrEqualTo(resized);
    }

    [Fact]
    public void Resize_RaisedWhileSaturated_StartsWaitingWork()
    {
        AdaptiveThreadPool pool = CreatePool(new AdaptivePoolOptions { MinThreads = 1, MaxThreads = 1 });
        using var gate = new WorkerGate(pool.Factory, 1);
        Task waiting = pool.Run(() => { });
        pool.Resize(2, 8);
        Eventually.End(waiting, "raising the bounds while saturated must start the waiting item");
    }

    [Fact]
    public void Resize_LoweredWhileRunning_FinishesTheItemsAndShrinks()
    {
        AdaptiveThreadPool pool = CreatePool(new AdaptivePoolOptions
        {
            MinThreads = 1,
            MaxThreads = 16,
            IdleTimeout = TimeSpan.FromMilliseconds(100),
            Sizing = PoolSizing.Fixed(8),
        });
        using (new WorkerGate(pool.Factory, 8))
        {
            pool.Resize(1, 2);
        }

        int running = 0;
        int most = 0;
        var guard = new object();
        Eventually.Be(pool, s => s.Existing <= 2, "threads above the new bound end");
        Task[] tasks = [.. Enumerable.Range(0, 50).Select(_ => pool.Run(() =>
        {
            lock (guard)
            {
                most = Math.Max(most, ++running);
            }

            Thread.Sleep(1);
            lock (guard)
            {
                running--;
            }
        }))];
        Array.ForEach(tasks, t => Eventually.End(t));
        most.ShouldBeLessThanOrEqualTo(2);
    }

    [Theory]
    [InlineData(0, 4)]
    [InlineData(-1, 4)]
    [InlineData(5, 4)]
    [InlineData(1, 0)]
    [InlineData(1, 32_768)]
    public void Resize_BadBounds_IsRefusedAndChangesNothing(int minimum, int maximum)
    {
        AdaptiveThreadPool pool = CreatePool(new AdaptivePoolOptions { MinThreads = 2, MaxThreads = 8 });
        Should.Throw<ArgumentOutOfRangeException>(() => pool.Resize(minimum, maximum));
        PoolSnapshot snapshot = pool.GetSnapshot();
        snapshot.MinThreads.ShouldBe(2);
        snapshot.MaxThreads.ShouldBe(8);
    }

    [Fact]
    public void Resized_TargetChanges_IsRaisedWithTheTrace()
    {
        AdaptiveThreadPool pool = CreatePool(new AdaptivePoolOptions { MinThreads = 1, MaxThreads = 8 });
        var seen = new System.Collections.Concurrent.ConcurrentQueue<(object? Sender, ControllerTrace Trace)>();
        pool.ClassResized += (sender, e) => seen.Enqueue((sender, e));
        pool.Resize(5, 8);
        Eventually.Be(() => seen.Any(s => s.Trace.Reason == DecisionReason.ManualResize), "a change of size is told");
        seen.ShouldAllBe(s => ReferenceEquals(s.Sender, pool));
    }

    [Fact]
    public void Resized_HandlerThrows_HurtsNobody()
    {
        AdaptiveThreadPool pool = CreatePool(new AdaptivePoolOptions { MinThreads = 1, MaxThreads = 8 });
        int calls = 0;
        pool.ClassResized += (_, _) =>
        {
            Interlocked.Increment(ref calls);
            throw new InvalidOperationException("handler");
        };
        pool.Resize(5, 8);
        Eventually.Be(() => Volatile.Read(ref calls) > 0, "the handler is called");
        Eventually.Result(pool.Run(() => 6)).ShouldBe(6);
        pool.Resize(2, 8);
        Eventually.Be(() => Volatile.Read(ref calls) > 1, "sizing lives on");
    }

    [Fact]
    public void Decisions_BlockedWork_EachHasAReasonAndAChange()
    {
        AdaptiveThreadPool pool = CreatePool(new AdaptivePoolOptions { MinThreads = 1 });
        Task[] sleepers = [.. Enumerable.Range(0, 100).Select(_ => pool.Run(() => Thread.Sleep(50)))];
        Array.ForEach(sleepers, t => Eventually.End(t));

        var traces = new List<ControllerTrace>();
        while (pool.Decisions.TryRead(out ControllerTrace? trace))
        {
            traces.Add(trace);
        }

        traces.ShouldNotBeEmpty();
        traces.ShouldAllBe(t => Enum.IsDefined(t.Reason) && t.From >= 0 && t.To >= 0 && t.At >= TimeSpan.Zero);
        traces.ShouldContain(t => t.To > t.From && t.Reason != DecisionReason.Hold && t.Reason != DecisionReason.ManualResize);
        traces.Zip(traces.Skip(1)).ShouldAllBe(pair => pair.First.At <= pair.Second.At);
    }

    [Fact]
    public void Blocking_OneSecondOnFarMoreItemsThanCores_GrowsThePool()
    {
        AdaptiveThreadPool pool = CreatePool(new AdaptivePoolOptions { MinThreads = 1 });
        int running = 0;
        using var many = new ManualResetEventSlim();
        Task[] sleepers = [.. Enumerable.Range(0, 64).Select(_ => pool.Run(() =>
        {
            if (Interlocked.Increment(ref running) > 2 * Environment.ProcessorCount)
            {
                many.Set();
            }

            // Each item waits until the pool has grown: nothing but growth ends this test.
            while (!many.IsSet)
            {
                Thread.Sleep(10);
            }
        }))];
        Eventually.Set(many, "sleeping items make the pool grow");
        Array.ForEach(sleepers, t => Eventually.End(t));
    }

    private static ControllerTrace AwaitDecision(AdaptiveThreadPool pool, DecisionReason reason)
    {
        using var patience = new CancellationTokenSource(Eventually.Patience);
        return Eventually.Result(Task.Run(async () =>
        {
            await foreach (ControllerTrace trace in pool.Decisions.ReadAllAsync(patience.Token))
            {
                if (trace.Reason == reason)
                {
                    return trace;
                }
            }

            throw new InvalidOperationException("the decisions ended without " + reason);
        }));
    }
}
