using AdaptivePool.Admission;
using AdaptivePool.Diagnostics;
using System.Diagnostics.Metrics;

namespace AdaptivePool.Tests;

/// <summary>Classes whose queue takes so many items and no more.</summary>
public sealed class MaxQueuedTests : PoolTest
{
    [Fact]
    public void MaxQueued_AsManyWait_EachWayToQueueIsRefusedAndWhatWaitsRuns()
    {
        AdaptiveThreadPool pool = CreateSingleThreadPool();
        WorkClass bounded = pool.GetClass("bounded");
        bounded.MaxQueued = 3;
        int ran = 0;
        var told = new RefusableItem();
        Task[] waiting;
        using (new WorkerGate(pool.Factory, 1))
        {
            waiting = [.. Enumerable.Range(0, 3).Select(_ => bounded.Run(() => Interlocked.Increment(ref ran)))];

            Task[] refused =
            [
                bounded.Run(() => { }),
                bounded.Run(() => 1),
                bounded.Run(() => Task.CompletedTask),
                bounded.Run(() => Task.FromResult(1)),
                bounded.Run(() => ValueTask.CompletedTask),
            ];
            foreach (Task task in refused)
            {
                WorkRefusedException refusal = Should.Throw<WorkRefusedException>(() => Eventually.End(task));
                refusal.Reason.ShouldBe(RefusalReason.QueueFull);
                refusal.RetryAfter.ShouldBeInRange(TimeSpan.FromMilliseconds(100), TimeSpan.FromSeconds(60));
                refusal.Message.ShouldBe($"Work class 'bounded' of pool '{pool.Name}' refused an item: 3 items wait already (MaxQueued is 3).");
            }

            Should.Throw<WorkRefusedException>(() => bounded.QueueUserWorkItem(_ => { }));
            Should.Throw<WorkRefusedException>(() => bounded.UnsafeQueueUserWorkItem(static _ => { }, 1, preferLocal: true));
            Should.Throw<WorkRefusedException>(() => bounded.UnsafeQueueRootWork(new CallbackItem(() => { })));
            bounded.UnsafeQueueRootWork(told);
            Eventually.Result(told.Outcome.Task).ShouldNotBeNull().Reason.ShouldBe(RefusalReason.QueueFull);
            told.RefusedOn.ShouldBeNull();

            WorkClassSnapshot full = bounded.GetSnapshot();
            full.Queued.ShouldBe(3);
            full.Refused.ShouldBe(9);
            full.Expired.ShouldBe(0);
        }

        Eventually.End(Task.WhenAll(waiting));
        ran.ShouldBe(3);
        Eventually.Result(bounded.Run(() => 7)).ShouldBe(7);
    }

    [Fact]
    public void MaxQueued_OfThePool_HoldsForEachClassAloneThatHasNone()
    {
        AdaptiveThreadPool pool = CreatePool(new AdaptivePoolOptions { Name = "bounded", MinThreads = 1, MaxThreads = 1, MaxQueued = 1 });
        WorkClass wider = pool.GetClass("wider");
        wider.MaxQueued = 2;
        WorkClass free = pool.GetClass("free");
        free.MaxQueued = int.MaxValue;
        List<Task> accepted = [];
        using (new WorkerGate(pool.Factory, 1))
        {
            foreach ((WorkClass target, int places) in new[] { (pool.DefaultClass, 1), (pool.GetClass("other"), 1), (wider, 2), (free, 100) })
            {
                for (int i = 0; i < places; i++)
                {
                    accepted.Add(target.Run(() => { }));
                    accepted[^1].IsFaulted.ShouldBeFalse(target.Name);
                }
            }

            accepted.Add(free.Run(() => { }));
            Should.Throw<WorkRefusedException>(() => pool.UnsafeQueueUserWorkItem(new CallbackItem(() => { }), preferLocal: false));
            Should.Throw<WorkRefusedException>(() => pool.QueueUserWorkItem(_ => { }));
            Should.Throw<WorkRefusedException>(() => Eventually.End(pool.GetClass("other").Run(() => { })));
            Should.Throw<WorkRefusedException>(() => Eventually.End(wider.Run(() => { })));
        }

        Eventually.End(Task.WhenAll(accepted));
    }

    /// <summary>What has begun must be able to end.</summary>
    [Fact]
    public void MaxQueued_QueueIsFull_NothingThatGoesOnIsRefused()
    {
        AdaptiveThreadPool pool = CreateSingleThreadPool();
        WorkClass bounded = pool.GetClass("bounded");
        bounded.MaxQueued = 1;
        var resumed = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        var begun = new TaskCompletionSource();
        Task awaits = bounded.Run(async () =>
        {
            begun.SetResult();
            await resumed.Task;
        });
        Eventually.End(begun.Task);
        var before = new TaskCompletionSource();
        Task continuation = before.Task.ContinueWith(_ => { }, CancellationToken.None, TaskContinuationOptions.None, bounded.Scheduler);
        Task started;
        Task waiting;
        Task<Task<bool>> inner;
        using (new WorkerGate(bounded.Factory, 1))
        {
            waiting = bounded.Run(() => { });
            bounded.Run(() => { }).IsFaulted.ShouldBeTrue();

            before.SetResult();
            resumed.SetResult();
            started = bounded.Factory.StartNew(() => { });
            inner = bounded.Factory.StartNew(() => bounded.Run(() => bounded.UnsafeQueueUserWorkItem(static _ => { }, 0, preferLocal: true)));
            bounded.GetSnapshot().Queued.ShouldBeGreaterThan(1);
        }

        Eventually.End(Task.WhenAll(awaits, continuation, started, waiting));
        Eventually.End(inner.Unwrap());
        bounded.GetSnapshot().Refused.ShouldBe(1);
    }

    [Fact]
    public void MaxQueued_Changed_HoldsForWhatComesNext()
    {
        AdaptiveThreadPool pool = CreateSingleThreadPool();
        WorkClass bounded = pool.GetClass("bounded");
        bounded.MaxQueued.ShouldBeNull();
        List<Task> accepted = [];
        using (new WorkerGate(pool.Factory, 1))
        {
            accepted.AddRange(Enumerable.Range(0, 5).Select(_ => bounded.Run(() => { })));

            // Those that wait since before there was a bound count.
            bounded.MaxQueued = 2;
            bounded.Run(() => { }).IsFaulted.ShouldBeTrue();
            bounded.MaxQueued = 6;
            accepted.Add(bounded.Run(() => { }));
            bounded.Run(() => { }).IsFaulted.ShouldBeTrue();
            bounded.MaxQueued = null;
            accepted.AddRange(Enumerable.Range(0, 5).Select(_ => bounded.Run(() => { })));
            bounded.GetSnapshot().Queued.ShouldBe(11);
        }

        Eventually.End(Task.WhenAll(accepted));
        bounded.GetSnapshot().Refused.ShouldBe(2);
    }

    [Fact]
    public void MaxQueued_ManyQueueAtOnce_NoMoreThanThatWaitAndEachIsRunOrRefused()
    {
        const int threads = 8;
        const int each = 1_250;
        const int most = 100;
        AdaptiveThreadPool pool = CreateSingleThreadPool();
        WorkClass bounded = pool.GetClass("bounded");
        bounded.MaxQueued = most;
        int ran = 0;
        var tasks = new Task[threads * each];
        using (new WorkerGate(pool.Factory, 1))
        {
            Thread[] producers = [.. Enumerable.Range(0, threads).Select(t => new Thread(() =>
            {
                for (int i = 0; i < each; i++)
                {
                    tasks[(t * each) + i] = i % 2 == 0
                        ? bounded.Run(() => Interlocked.Increment(ref ran))
                        : bounded.Run(() => Task.FromResult(Interlocked.Increment(ref ran)));
                }
            }))];
            Array.ForEach(producers, static it => it.Start());
            Array.ForEach(producers, static it => it.Join());

            // Somebody who is stopped on the way in counts twice for as long.
            bounded.GetSnapshot().Queued.ShouldBeInRange(most - threads, most);
        }

        foreach (Task task in tasks)
        {
            Eventually.Complete(task);
        }

        int refused = tasks.Count(static task => task.Exception?.InnerException is WorkRefusedException);
        (ran + refused).ShouldBe(tasks.Length);
        bounded.GetSnapshot().Refused.ShouldBe(refused);
        Eventually.Result(bounded.Run(() => 7)).ShouldBe(7);
    }

    [Fact]
    public void MaxQueued_AsManyComeAtOnceAsMayWait_HardlyAnyIsRefused()
    {
        const int producers = 3;
        AdaptiveThreadPool pool = CreateSingleThreadPool();
        WorkClass bounded = pool.GetClass("bounded");
        bounded.MaxQueued = producers;
        List<string> refusals = [];
        for (int round = 0; round < 200; round++)
        {
            var tasks = new Task[producers];
            using (new WorkerGate(pool.Factory, 1))
            {
                using var together = new Barrier(producers);
                Thread[] threads = [.. Enumerable.Range(0, producers).Select(i => new Thread(() =>
                {
                    together.SignalAndWait();
                    tasks[i] = bounded.Run(() => { });
                }))];
                Array.ForEach(threads, static it => it.Start());
                Array.ForEach(threads, static it => it.Join());
            }

            Eventually.Complete(Task.WhenAll(tasks));
            refusals.AddRange(tasks.Where(static task => task.IsFaulted).Select(static task => task.Exception!.InnerException!.Message));
            Eventually.Be(pool, static it => it.Queued == 0, "the next round begins with an empty queue");
        }

        // Only while somebody is stopped on the way in, who counts twice for as long.
        refusals.ShouldAllBe(static it => it.Contains("more on the way", StringComparison.Ordinal));
        refusals.Count.ShouldBeLessThan(20);
    }

    [Fact]
    public void MaxQueued_PoolHasRoom_ABurstThatFindsPlacesIsNotRefused()
    {
        AdaptiveThreadPool pool = CreateFixedPool(8);
        WorkClass bounded = pool.GetClass("bounded");
        bounded.MaxQueued = 1;
        using var arrived = new CountdownEvent(4);

        Task[] items = [.. Enumerable.Range(0, 4).Select(_ => bounded.Run(() =>
        {
            arrived.Signal();
            Eventually.Zero(arrived, "all four must run at once");
        }))];

        Eventually.End(Task.WhenAll(items));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Dispose_QueueIsFull_WhatWasAcceptedRunsAndNoMoreIsTaken(bool inTime)
    {
        AdaptiveThreadPool pool = CreatePool(new AdaptivePoolOptions
        {
            MinThreads = 1, MaxThreads = 1, MaxQueued = 10, DrainTimeout = inTime ? Timeout.InfiniteTimeSpan : TimeSpan.Zero,
        });
        int ran = 0;
        Task disposing;
        List<Task> accepted;
        using (new WorkerGate(pool.Factory, 1))
        {
            accepted = [.. Enumerable.Range(0, 5).Select(_ => pool.Run(() => Interlocked.Increment(ref ran)))];
            accepted.AddRange(Enumerable.Range(0, 5).Select(_ => pool.Run(() => { Interlocked.Increment(ref ran); return Task.CompletedTask; })));
            pool.Run(() => { }).IsFaulted.ShouldBeTrue();
            disposing = pool.DisposeAsync().AsTask();
            Should.Throw<ObjectDisposedException>(() => { _ = pool.Run(() => { }); });
            if (!inTime)
            {
                // Handed over to the runtime's pool, although the worker is held.
                await Task.WhenAll(accepted).WaitAsync(Eventually.Patience);
            }
        }

        await disposing.WaitAsync(Eventually.Patience);
        await Task.WhenAll(accepted).WaitAsync(Eventually.Patience);
        ran.ShouldBe(10);
    }

    [Fact]
    public void MaxQueued_ItemIsCancelled_IsCanceledAndNotRefused()
    {
        AdaptiveThreadPool pool = CreateSingleThreadPool();
        WorkClass bounded = pool.GetClass("bounded");
        bounded.MaxQueued = 2;
        using var cancellation = new CancellationTokenSource();
        Task[] waiting;
        using (new WorkerGate(pool.Factory, 1))
        {
            waiting =
            [
                bounded.Run(() => { }, cancellationToken: cancellation.Token),
                bounded.Run(() => Task.CompletedTask, cancellationToken: cancellation.Token),
            ];
            cancellation.Cancel();
            waiting.ShouldAllBe(static task => task.IsCanceled);
            Task[] cancelledBefore =
            [
                bounded.Run(() => { }, cancellationToken: cancellation.Token),
                bounded.Run(() => Task.CompletedTask, cancellationToken: cancellation.Token),
                bounded.Run(() => Task.FromResult(1), cancellationToken: cancellation.Token),
                bounded.RunFor("tenant", () => { }, cancellation.Token),
                bounded.RunRouted(1, () => 1, cancellation.Token),
            ];
            cancelledBefore.ShouldAllBe(static task => task.IsCanceled);
            bounded.GetSnapshot().Queued.ShouldBe(2, "what was cancelled before it came takes no place");
        }

        Eventually.Be(pool, static it => it.Queued == 0, "what was cancelled leaves the queue");
        bounded.GetSnapshot().Refused.ShouldBe(0);
    }

    [Fact]
    public void Refusals_AreCountedByClassAndReason()
    {
        List<string> seen = [];
        using var listener = new MeterListener
        {
            InstrumentPublished = static (instrument, it) =>
            {
                if (instrument.Name == MetricNames.Refused)
                {
                    it.EnableMeasurementEvents(instrument);
                }
            },
        };
        listener.SetMeasurementEventCallback<long>((_, count, tags, _) =>
        {
            string text = string.Join(' ', tags.ToArray().Select(static tag => $"{tag.Key}={tag.Value}"));
            if (text.Contains("pool=counts refusals ", StringComparison.Ordinal))
            {
                lock (seen)
                {
                    seen.Add($"{count} {text}");
                }
            }
        });
        listener.Start();
        AdaptiveThreadPool pool = CreatePool(new AdaptivePoolOptions { Name = "counts refusals", MinThreads = 1, MaxThreads = 1 });
        WorkClass bounded = pool.GetClass("bounded");
        bounded.MaxQueued = 1;
        Task waiting;
        using (new WorkerGate(pool.Factory, 1))
        {
            waiting = bounded.Run(() => { });
            bounded.Run(() => { }).IsFaulted.ShouldBeTrue();
        }

        Eventually.End(waiting);
        seen.ShouldBe(["1 pool=counts refusals class=bounded reason=QueueFull"]);
    }

    [Fact]
    public void MaxQueued_StrictItemQueuesToAFullClass_DoesNotBlock()
    {
        AdaptiveThreadPool pool = CreatePool(new AdaptivePoolOptions { MinThreads = 2, MaxThreads = 4, BlockingAction = BlockingAction.Throw });
        WorkClass bounded = pool.GetClass("bounded");
        bounded.MaxQueued = 1;

        Task[] items = [.. Enumerable.Range(0, 4).Select(i => pool.GetClass("producer " + i).Run(() =>
        {
            for (int n = 0; n < 500; n++)
            {
                _ = bounded.Run(() => { }).Exception;
            }
        }))];

        Eventually.End(Task.WhenAll(items));
    }

    [Fact]
    public void Bounds_OutOfRange_AreRefusedAndChangeNothing()
    {
        WorkClass target = CreatePool().GetClass("any");
        target.MaxQueued = 5;
        target.MaxQueueTime = TimeSpan.FromSeconds(1);

        Should.Throw<ArgumentOutOfRangeException>(() => target.MaxQueued = 0).Message
            .ShouldStartWith("MaxQueued is '0'; allowed: 1 to 2147483647.");
        Should.Throw<ArgumentOutOfRangeException>(() => target.MaxQueueTime = TimeSpan.Zero).Message
            .ShouldStartWith("MaxQueueTime is '00:00:00'; allowed: 00:00:00.0010000 to 1.00:00:00 (days.hours:minutes:seconds), or Infinite.");
        Should.Throw<ArgumentOutOfRangeException>(() => target.MaxQueueTime = TimeSpan.FromHours(25));

        target.MaxQueued.ShouldBe(5);
        target.MaxQueueTime.ShouldBe(TimeSpan.FromSeconds(1));
    }

    /// <summary>The control: who sets no bound pays nothing and is never refused.</summary>
    [Fact]
    public void NoBound_ManyItems_AllRunAndCostNoMemory()
    {
        const int items = 10_000;
        AdaptiveThreadPool pool = CreateSingleThreadPool();
        using var ran = new CountdownEvent(items + 5);
        var item = new CallbackItem(() => ran.Signal());
        using (new WorkerGate(pool.Factory, 1))
        {
            // The queue's first segment has room for these.
            Allocation.Of(() => pool.DefaultClass.UnsafeQueueRootWork(item)).ShouldBe(0);
            for (int i = (int)pool.DefaultClass.GetSnapshot().Queued; i < items + 5; i++)
            {
                pool.DefaultClass.UnsafeQueueRootWork(item);
            }
        }

        Eventually.Zero(ran, "each item must run");
        pool.DefaultClass.GetSnapshot().Refused.ShouldBe(0);
    }
}
