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
        using var gate = new WorkerGate(pool.Factory, 1);
        Task[] queued =
        [
            pool.Run(() => { }, WorkPriority.High),
            pool.Run(() => { }),
            pool.Run(() => { }, WorkPriority.Low),
            pool.Factory.StartNew(() => { }, TaskCreationOptions.PreferFairness),
        ];
        Scheduled(pool.Scheduler).ShouldBe(queued, ignoreOrder: true);
        gate.Open();
        Array.ForEach(queued, t => Eventually.End(t));
        Scheduled(pool.Scheduler).ShouldBeEmpty();
    }

    [Fact]
    public void GetScheduledTasks_LocalTasksOfARunningItem_AreListed()
    {
        AdaptiveThreadPool pool = CreateSingleThreadPool();
        (Task[] queued, Task[] listed) = Eventually.Result(pool.Run(() =>
        {
            Task[] queued = [.. Enumerable.Range(0, 8).Select(i => pool.Factory.StartNew(() => { }, i % 2 == 0 ? TaskCreationOptions.None : TaskCreationOptions.PreferFairness))];
            return (queued, Scheduled(pool.Scheduler));
        }));
        listed.ShouldBe(queued, ignoreOrder: true);
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
    public void TryDequeue_QueuedTask_NeverMakesItRunTwice()
    {
        AdaptiveThreadPool pool = CreateSingleThreadPool();
        MethodInfo tryDequeue = typeof(TaskScheduler).GetMethod("TryDequeue", BindingFlags.Instance | BindingFlags.NonPublic, [typeof(Task)])!;
        int runs = 0;
        Task queued;
        bool removed;
        using (var gate = new WorkerGate(pool.Factory, 1))
        {
            queued = pool.Factory.StartNew(() => Interlocked.Increment(ref runs));
            removed = (bool)tryDequeue.Invoke(pool.Scheduler, [queued])!;
        }

        Eventually.End(pool.Run(() => { }));
        if (!removed)
        {
            Eventually.End(queued);
        }

        runs.ShouldBe(removed ? 0 : 1);
        Eventually.Be(pool, s => s.Queued == 0, "the counts agree with the queue");
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
        (bool runtimePool, AdaptiveThreadPool? current) = Eventually.Result(pool.Run(() => Task.Run(() => (Thread.CurrentThread.IsThreadPoolThread, AdaptiveThreadPool.Current)).Result));
        runtimePool.ShouldBeTrue();
        current.ShouldBeNull();
    }

    [Fact]
    public void MaximumConcurrencyLevel_BoundedPool_IsTruthful()
    {
        AdaptiveThreadPool pool = CreatePool(new AdaptivePoolOptions { MinThreads = 1, MaxThreads = 5 });
        pool.Scheduler.MaximumConcurrencyLevel.ShouldBe(5);
    }

    private static Task[] Scheduled(TaskScheduler scheduler) =>
        [.. ((IEnumerable<Task>)typeof(TaskScheduler).GetMethod("GetScheduledTasks", BindingFlags.Instance | BindingFlags.NonPublic)!.Invoke(scheduler, null)!)];
}
