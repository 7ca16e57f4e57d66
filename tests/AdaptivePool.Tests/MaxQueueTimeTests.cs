using System.Diagnostics;
using AdaptivePool.Admission;

namespace AdaptivePool.Tests;

/// <summary>Items that waited longer than they may are not run.</summary>
public sealed class MaxQueueTimeTests : PoolTest
{
    private static readonly TimeSpan s_most = TimeSpan.FromMilliseconds(1);

    [Fact]
    public void MaxQueueTime_WaitedLonger_IsNotRunAndEachIsTold()
    {
        AdaptiveThreadPool pool = CreateSingleThreadPool();
        WorkClass bounded = pool.GetClass("bounded");
        bounded.MaxQueueTime = s_most;
        List<Exception> faults = [];
        pool.Faulted += (_, fault) => faults.Add(fault);
        int ran = 0;
        var told = new RefusableItem();
        Task[] late;
        Task goesOn;
        using (new WorkerGate(pool.Factory, 1))
        {
            late =
            [
                bounded.Run(() => { ran++; }),
                bounded.Run(() => ran++),
                bounded.Run(() => { ran++; return Task.CompletedTask; }),
                bounded.Run(() => { ran++; return Task.FromResult(1); }),
            ];
            bounded.QueueUserWorkItem(_ => ran++);
            bounded.UnsafeQueueRootWork(told);
            goesOn = bounded.Factory.StartNew(() => { });
            Wait();
        }

        foreach (Task task in late)
        {
            Should.Throw<WorkRefusedException>(() => Eventually.End(task)).Reason.ShouldBe(RefusalReason.QueueTimeout);
        }

        Eventually.Result(told.Outcome.Task).ShouldNotBeNull().Message.ShouldEndWith("(MaxQueueTime is 00:00:00.0010000).");
        told.RefusedOn.ShouldBe(pool);

        // A task of the scheduler may be what follows an await.
        Eventually.End(goesOn);
        ran.ShouldBe(0);
        faults.ShouldHaveSingleItem().ShouldBeOfType<WorkRefusedException>();
        WorkClassSnapshot end = bounded.GetSnapshot();
        end.Expired.ShouldBe(6);
        end.Refused.ShouldBe(0);
    }

    [Fact]
    public void MaxQueueTime_CancelledWhileItWaits_IsNotCountedAsExpired()
    {
        AdaptiveThreadPool pool = CreateSingleThreadPool();
        WorkClass bounded = pool.GetClass("bounded");
        bounded.MaxQueueTime = s_most;
        using var cancellation = new CancellationTokenSource();
        Task[] cancelled;
        using (new WorkerGate(pool.Factory, 1))
        {
            cancelled =
            [
                bounded.Run(() => { }, cancellationToken: cancellation.Token),
                bounded.Run(() => Task.CompletedTask, cancellationToken: cancellation.Token),
                bounded.RunFor("tenant", () => Task.FromResult(1), cancellation.Token),
            ];
            cancellation.Cancel();
            Wait();
        }

        Eventually.Be(pool, static it => it.Queued == 0 && it.Active == 0, "what was cancelled leaves the queue");
        cancelled.ShouldAllBe(static task => task.IsCanceled);
        bounded.GetSnapshot().Expired.ShouldBe(0);
    }

    [Fact]
    public void MaxQueueTime_Expired_IsNotCompleted()
    {
        AdaptiveThreadPool pool = CreateSingleThreadPool();
        WorkClass bounded = pool.GetClass("bounded");
        bounded.MaxQueueTime = s_most;
        using (new WorkerGate(pool.Factory, 1))
        {
            for (int i = 0; i < 1_000; i++)
            {
                bounded.UnsafeQueueRootWork(new RefusableItem());
            }

            Wait();
        }

        Eventually.Be(pool, static it => it.Queued == 0 && it.Active == 0 && it.Idle == 1, "all are told");
        bounded.GetSnapshot().Expired.ShouldBe(1_000);
        bounded.GetSnapshot().Completed.ShouldBe(0);
    }

    [Fact]
    public void MaxQueueTime_Expired_HasLeftTheQueueForThoseWhoTellAges()
    {
        const int Late = 4_000;
        const int Later = 1_000;
        AdaptiveThreadPool pool = CreateSingleThreadPool();
        WorkClass bounded = pool.GetClass("bounded");
        bounded.MaxQueueTime = s_most;
        using (new WorkerGate(pool.Factory, 1))
        {
            for (int i = 0; i < Late; i++)
            {
                bounded.UnsafeQueueRootWork(new RefusableItem());
            }

            Eventually.Be(() => bounded.Core.Queue.Ages.Waiting == Late, "they are seen");
            Wait();
        }

        Eventually.Be(pool, static it => it.Queued == 0 && it.Active == 0, "all are told");
        bounded.MaxQueueTime = Timeout.InfiniteTimeSpan;
        int runs = 0;
        Run(Later);

        // The sizing thread looks now and then, and on a full machine late.
        Eventually.Be(
            () =>
            {
                Run(1);
                return bounded.Core.Queue.Ages.Taken.Items >= Late + Later;
            },
            "those that came later are known to have left");
        runs.ShouldBeLessThan(Late, "those that were late are not known to have left");
        bounded.Core.Queue.Ages.Taken.Items.ShouldBeLessThanOrEqualTo(Late + runs);

        void Run(int items)
        {
            for (int i = 0; i < items; i++, runs++)
            {
                Eventually.End(bounded.Run(() => { }));
            }
        }
    }

    [Fact]
    public void MaxQueueTime_IsLong_Runs()
    {
        AdaptiveThreadPool pool = CreatePool(new AdaptivePoolOptions { MinThreads = 1, MaxThreads = 1, MaxQueueTime = TimeSpan.FromHours(1) });
        Task<int> task;
        Task<int> asynchronous;
        using (new WorkerGate(pool.Factory, 1))
        {
            task = pool.Run(() => 7);
            asynchronous = pool.Run(async () =>
            {
                await Task.Yield();
                return 8;
            });
            Wait();
        }

        Eventually.Result(task).ShouldBe(7);
        Eventually.Result(asynchronous).ShouldBe(8);
    }

    [Fact]
    public void MaxQueueTime_SetOrTakenAwayWhileItemsWait_HoldsForThoseThatHaveATime()
    {
        AdaptiveThreadPool pool = CreateSingleThreadPool();
        WorkClass timeless = pool.GetClass("timeless");
        WorkClass late = pool.GetClass("late");
        WorkClass free = pool.GetClass("free");
        late.MaxQueueTime = TimeSpan.FromHours(1);
        free.MaxQueueTime = s_most;
        Task first;
        Task second;
        Task third;
        using (new WorkerGate(pool.Factory, 1))
        {
            first = timeless.Run(() => { });
            second = late.Run(() => { });
            third = free.Run(() => { });
            Wait();
            timeless.MaxQueueTime = s_most;
            late.MaxQueueTime = s_most;
            free.MaxQueueTime = Timeout.InfiniteTimeSpan;
        }

        Eventually.End(first);
        Should.Throw<WorkRefusedException>(() => Eventually.End(second));
        Eventually.End(third);
    }

    [Fact]
    public void RetryAfter_QueueDrains_IsTheQueueOverItsRate()
    {
        AdaptiveThreadPool pool = CreateSingleThreadPool();
        WorkClass bounded = pool.GetClass("bounded");
        bounded.MaxQueued = 200;
        using var step = new SemaphoreSlim(0);
        long start = Stopwatch.GetTimestamp();
        List<Task> tasks = [.. Enumerable.Range(0, 150).Select(_ => bounded.Run(() => step.Wait()))];

        // One after the other, so that each of them waits for the one before it.
        for (int i = 0; i < 50; i++)
        {
            Wait();
            step.Release();
            int left = tasks.Count - i - 1;
            Eventually.Be(pool, it => it.Queued <= Math.Max(0, left - 1), "the next one starts");
        }

        double perSecond = 50 / Stopwatch.GetElapsedTime(start).TotalSeconds;
        while (tasks[^1].Exception is null)
        {
            tasks.Add(bounded.Run(() => { }));
        }

        TimeSpan retryAfter = ((WorkRefusedException)tasks[^1].Exception!.InnerException!).RetryAfter;
        step.Release(100);
        foreach (Task task in tasks)
        {
            Eventually.Complete(task);
        }

        // Generous: the machine may stop between two looks at the clock.
        retryAfter.TotalSeconds.ShouldBeInRange(200 / perSecond / 20, 60);
        retryAfter.ShouldBeGreaterThan(TimeSpan.FromMilliseconds(100));
    }

    private static void Wait()
    {
        long start = Stopwatch.GetTimestamp();
        Eventually.Be(() => Stopwatch.GetElapsedTime(start) > 5 * s_most, "time passes");
    }
}
