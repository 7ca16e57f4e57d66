using System.Reflection;

namespace AdaptivePool.Tests;

/// <summary>What our scheduler promises beyond <see cref="Contracts.TaskSchedulerContract"/>: exact orders and lists, on a pool of one thread.</summary>
public sealed class AdaptiveTaskSchedulerTests : PoolTest
{
    [Fact]
    public void PreferFairness_FromOutside_IsFirstInFirstOut()
    {
        AdaptiveThreadPool pool = CreateSingleThreadPool();
        var order = new List<int>();
        List<Task> tasks = [];
        using (var gate = new WorkerGate(pool.Factory, 1))
        {
            for (int i = 0; i < 100; i++)
            {
                int index = i;
                tasks.Add(pool.Factory.StartNew(() => order.Add(index), TaskCreationOptions.PreferFairness));
            }
        }

        tasks.ForEach(t => Eventually.End(t));
        order.ShouldBe(Enumerable.Range(0, 100));
    }

    [Fact]
    public void PreferFairness_FromAWorker_IsFirstInFirstOut()
    {
        AdaptiveThreadPool pool = CreateSingleThreadPool();
        var order = new List<int>();
        var tasks = new List<Task>();
        Eventually.End(pool.Run(() =>
        {
            for (int i = 0; i < 1_000; i++)
            {
                int index = i;
                tasks.Add(pool.Factory.StartNew(() => order.Add(index), TaskCreationOptions.PreferFairness));
            }
        }));
        tasks.ForEach(t => Eventually.End(t));
        order.ShouldBe(Enumerable.Range(0, 1_000));
    }

    [Fact]
    public void Yield_TwoFlowsOnOneThread_TakeTurns()
    {
        AdaptiveThreadPool pool = CreateSingleThreadPool();
        var order = new List<char>();
        async Task Flow(char name)
        {
            for (int i = 0; i < 20; i++)
            {
                order.Add(name);
                await Task.Yield();
            }
        }

        Task a;
        Task b;
        using (var gate = new WorkerGate(pool.Factory, 1))
        {
            a = pool.Run(() => Flow('a'));
            b = pool.Run(() => Flow('b'));
        }

        Eventually.End(a);
        Eventually.End(b);

        // In-flight work goes first, so one flow may run alone until root work gets its turn (one in sixteen); then they alternate.
        string sequence = new([.. order]);
        sequence.Length.ShouldBe(40);
        sequence.ShouldContain("ab");
        sequence.IndexOf('b').ShouldBeLessThanOrEqualTo(17);
    }

    [Fact]
    public void GetScheduledTasks_WorkerHeld_ListsEveryQueuedTask()
    {
        AdaptiveThreadPool pool = CreateSingleThreadPool();
        WorkClass partner = pool.GetClass("partner");
        Task[] queued;
        Task[] other;
        Task[] listed;
        Task[] listedOther;
        using (var gate = new WorkerGate(pool.Factory, 1))
        {
            queued =
            [
                pool.Run(() => { }, WorkPriority.High),
                pool.Run(() => { }),
                pool.Run(() => { }, WorkPriority.Low),
                pool.Factory.StartNew(() => { }, TaskCreationOptions.PreferFairness),
            ];
            other = [partner.Run(() => { }), partner.Factory.StartNew(() => { })];
            listed = Scheduled(pool.Scheduler);
            listedOther = Scheduled(partner.Scheduler);
        }

        Task[] all = [.. queued, .. other];
        Array.ForEach(all, t => Eventually.End(t));
        listed.ShouldBe(queued, ignoreOrder: true);
        listedOther.ShouldBe(other, ignoreOrder: true);
        Scheduled(pool.Scheduler).ShouldBeEmpty();
    }

    [Fact]
    public void GetScheduledTasks_LocalTasksOfARunningItem_AreListed()
    {
        AdaptiveThreadPool pool = CreateSingleThreadPool();
        (Task[] queued, Task[] listed) = Eventually.Result(pool.Run(() =>
        {
            Task[] queued = [.. Enumerable.Range(0, 8)
                .Select(i => pool.Factory.StartNew(() => { }, i % 2 == 0 ? TaskCreationOptions.None : TaskCreationOptions.PreferFairness))];
            return (queued, Scheduled(pool.Scheduler));
        }));
        Array.ForEach(queued, t => Eventually.End(t));
        listed.ShouldBe(queued, ignoreOrder: true);
    }

    [Fact]
    public void GetScheduledTasks_TasksThatAnItemOfAClassQueued_AreListedByTheirOwnSchedulerAlone()
    {
        AdaptiveThreadPool pool = CreateSingleThreadPool();
        WorkClass partner = pool.GetClass("partner");
        WorkClass stranger = pool.GetClass("stranger");
        (Task[] queued, Task[] listed, Task[] strange) = Eventually.Result(partner.Run(() =>
        {
            Task[] queued = [.. Enumerable.Range(0, 8)
                .Select(i => partner.Factory.StartNew(() => { }, i % 2 == 0 ? TaskCreationOptions.None : TaskCreationOptions.PreferFairness))];
            return (queued, Scheduled(partner.Scheduler), Scheduled(stranger.Scheduler));
        }));
        Array.ForEach(queued, t => Eventually.End(t));
        listed.ShouldBe(queued, ignoreOrder: true);
        strange.ShouldBeEmpty();
    }

    [Fact]
    public void Cancel_QueuedTasksOnAHeldPool_AreCanceledAndNeverRun()
    {
        AdaptiveThreadPool pool = CreateSingleThreadPool();
        using var cancellation = new CancellationTokenSource();
        int ran = 0;
        Task[] cancelled;
        Task kept;
        using (var gate = new WorkerGate(pool.Factory, 1))
        {
            cancelled = [.. Enumerable.Range(0, 50).Select(_ => pool.Factory.StartNew(() => Interlocked.Increment(ref ran), cancellation.Token))];
            kept = pool.Factory.StartNew(() => { });
            cancellation.Cancel();
        }

        Eventually.End(kept);
        Array.ForEach(cancelled, t => Eventually.Complete(t));
        ran.ShouldBe(0);
        cancelled.ShouldAllBe(t => t.Status == TaskStatus.Canceled);
        Eventually.Be(pool, s => s.Queued == 0, "cancelled tasks leave no count behind");
    }

    [Fact]
    public void Cancel_QueuedTask_EndsItAtOnceAndNotAtItsTurn()
    {
        AdaptiveThreadPool pool = CreateSingleThreadPool();
        using var cancellation = new CancellationTokenSource();
        int runs = 0;
        using (var gate = new WorkerGate(pool.Factory, 1))
        {
            // Not StartNew: the runtime looks at the token of such a task only when it is about to run.
            var queued = new Task(() => Interlocked.Increment(ref runs), cancellation.Token);
            queued.Start(pool.Scheduler);
            cancellation.Cancel();
            Eventually.Complete(queued, "a cancelled task must not wait behind the item that holds the worker");
            queued.Status.ShouldBe(TaskStatus.Canceled);
        }

        Eventually.End(pool.Run(() => { }));
        runs.ShouldBe(0);
        Eventually.Be(pool, s => s.Queued == 0, "the entry that stayed behind is skipped");
    }

    [Fact]
    public void RunSynchronously_FromAnotherPoolOfOurs_RunsOnTheRightPool()
    {
        AdaptiveThreadPool one = CreatePool(new AdaptivePoolOptions { Name = "one" });
        AdaptiveThreadPool two = CreatePool(new AdaptivePoolOptions { Name = "two" });
        AdaptiveThreadPool? seen = Eventually.Result(one.Run(() =>
        {
            var task = new Task<AdaptiveThreadPool?>(() => AdaptiveThreadPool.Current);
            task.RunSynchronously(two.Scheduler);
            return task.Result;
        }));
        seen.ShouldBeSameAs(two);
    }

    [Fact]
    public void StartNew_OnDefaultInsideAnItem_LeavesThePool()
    {
        AdaptiveThreadPool pool = CreatePool();
        (bool runtimePool, AdaptiveThreadPool? current) =
            Eventually.Result(pool.Run(() => Task.Run(() => (Thread.CurrentThread.IsThreadPoolThread, AdaptiveThreadPool.Current)).Result));
        runtimePool.ShouldBeTrue();
        current.ShouldBeNull();
    }

    [Fact]
    public void MaximumConcurrencyLevel_BoundedPool_IsTruthful()
    {
        AdaptiveThreadPool pool = CreatePool(new AdaptivePoolOptions { MinThreads = 1, MaxThreads = 5 });
        pool.Scheduler.MaximumConcurrencyLevel.ShouldBe(5);
    }

    [Fact]
    public void MaximumConcurrencyLevel_UnboundedPool_IsSoManyForEachProcessorAtLeastSomeHundreds()
    {
        AdaptiveThreadPool pool = CreatePool();
        pool.Scheduler.MaximumConcurrencyLevel.ShouldBe(Math.Max(512, 64 * Environment.ProcessorCount));
    }

    [Fact]
    public void ParallelForEachAsync_HundredsOfBodiesAreAllowed_AllRunAtOnce()
    {
        const int Together = 500;
        AdaptiveThreadPool pool = CreatePool();
        int left = Together;
        var all = new TaskCompletionSource();
        Eventually.End(Parallel.ForEachAsync(
            Enumerable.Range(0, Together),
            new ParallelOptions { TaskScheduler = pool.Scheduler, MaxDegreeOfParallelism = Together },
            async (_, _) =>
            {
                if (Interlocked.Decrement(ref left) == 0)
                {
                    all.SetResult();
                }

                await all.Task;
            }));
    }

    [Fact]
    public void ParallelForEachAsync_BodiesThatWaitForEachOther_RunAtOnce()
    {
        // As many as processors, as on the default scheduler, would wait for ever.
        AdaptiveThreadPool pool = CreatePool();
        int together = 8 * Environment.ProcessorCount;
        int left = together;
        var all = new TaskCompletionSource();
        Eventually.End(Parallel.ForEachAsync(
            Enumerable.Range(0, together),
            new ParallelOptions { TaskScheduler = pool.Scheduler },
            async (_, _) =>
            {
                if (Interlocked.Decrement(ref left) == 0)
                {
                    all.SetResult();
                }

                await all.Task;
            }));
    }

    [Fact]
    public void ParallelFor_OnAWorker_AllocatesNothingForEachTurn()
    {
        // An object for each turn has 24 bytes or more. How many ranges and tasks the loop makes depends on who comes to help.
        const int Turns = 65_536;
        AdaptiveThreadPool pool = CreatePool();
        var options = new ParallelOptions { TaskScheduler = pool.Scheduler };
        long bytes = Eventually.Result(pool.Factory.StartNew(() => Allocation.Of(() => Parallel.For(0, Turns, options, static _ => { }))));
        bytes.ShouldBeLessThan(Turns);
    }

    [Fact]
    public void MaximumConcurrencyLevel_OfASchedulerMadeFromTheContext_IsOneAndItRunsHere()
    {
        AdaptiveThreadPool pool = CreatePool();
        (int level, AdaptiveThreadPool? ranOn) = Eventually.Result(pool.Run(() =>
        {
            TaskScheduler fromContext = TaskScheduler.FromCurrentSynchronizationContext();
            Task<AdaptiveThreadPool?> posted =
                Task.Factory.StartNew(static () => AdaptiveThreadPool.Current, CancellationToken.None, TaskCreationOptions.None, fromContext);
            return posted.ContinueWith(t => (fromContext.MaximumConcurrencyLevel, t.Result), TaskScheduler.Default);
        }));
        level.ShouldBe(1);
        ranOn.ShouldBeSameAs(pool);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void TryExecuteTaskInline_TaskThatHasEnded_AnswersFalseAndRunsNothing(bool cancelled)
    {
        AdaptiveThreadPool pool = CreatePool();
        using var cancellation = new CancellationTokenSource();
        int runs = 0;
        var task = new Task(() => Interlocked.Increment(ref runs), cancellation.Token);
        if (cancelled)
        {
            cancellation.Cancel();
        }
        else
        {
            task.Start(pool.Scheduler);
            Eventually.End(task);
        }

        MethodInfo inline = typeof(TaskScheduler).GetMethod("TryExecuteTaskInline", BindingFlags.Instance | BindingFlags.NonPublic)!;
        foreach (bool wasQueued in new[] { false, true })
        {
            Eventually.Result(pool.Run(() => RunsStale(wasQueued))).ShouldBeFalse();
        }

        runs.ShouldBe(cancelled ? 0 : 1);

        bool RunsStale(bool wasQueued)
        {
            try
            {
                return (bool)inline.Invoke(pool.Scheduler, BindingFlags.DoNotWrapExceptions, null, [task, wasQueued], null)!;
            }
            catch (InvalidOperationException)
            {
                // A task that was never started belongs to no scheduler; the runtime itself refuses it.
                return false;
            }
        }
    }

    [Fact]
    public void Unwrap_InnerTaskEndsElsewhere_QueuesNothingHere()
    {
        AdaptiveThreadPool pool = CreatePool();
        var inner = new TaskCompletionSource();
        Task unwrapped = pool.Factory.StartNew(() => inner.Task).Unwrap();
        Eventually.Be(pool, static s => s.Completed == 1, "the outer task ends");
        new Thread(inner.SetResult).Start();
        Eventually.End(unwrapped);
        pool.Dispose();
        pool.GetSnapshot().Completed.ShouldBe(1);
    }

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(2)]
    public void Wait_ForOneOfSeveralChildren_KeepsItsResultNoLonger(int waitedFor)
    {
        AdaptiveThreadPool pool = CreateSingleThreadPool();
        bool open = false;
        var result = new TaskCompletionSource<WeakReference>();
        Task item = pool.Factory.StartNew(() =>
        {
            result.SetResult(WaitForChild(pool.Factory, waitedFor));

            // Neither waits nor queues, which would tidy up the queue.
            while (!Volatile.Read(ref open))
            {
                Thread.SpinWait(100);
            }
        });
        WeakReference kept = Eventually.Result(result.Task);
        try
        {
            Eventually.Go(kept, "a task that ran inline is not kept by the queue it was taken from");
        }
        finally
        {
            Volatile.Write(ref open, true);
            Eventually.End(item);
        }
    }

    [System.Runtime.CompilerServices.MethodImpl(System.Runtime.CompilerServices.MethodImplOptions.NoInlining)]
    private static WeakReference WaitForChild(TaskFactory factory, int waitedFor)
    {
        Task<object>[] children = [.. Enumerable.Range(0, 3).Select(_ => factory.StartNew(static () => new object()))];
        return new WeakReference(children[waitedFor].Result);
    }

    private static Task[] Scheduled(TaskScheduler scheduler)
    {
        MethodInfo method = typeof(TaskScheduler).GetMethod("GetScheduledTasks", BindingFlags.Instance | BindingFlags.NonPublic)!;
        return [.. (IEnumerable<Task>)method.Invoke(scheduler, null)!];
    }
}
