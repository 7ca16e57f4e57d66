using System.Reflection;

namespace AdaptivePool.Tests.Contracts;

public abstract partial class TaskSchedulerContract
{
    [Fact]
    public void StartNew_Action_RunsOnceOnAWorkerUnderTheScheduler()
    {
        int runs = 0;
        (TaskScheduler current, bool worker) = Eventually.Result(Factory.StartNew(() =>
        {
            Interlocked.Increment(ref runs);
            return (TaskScheduler.Current, IsOnAWorker);
        }));

        runs.ShouldBe(1);
        current.ShouldBeSameAs(Scheduler);
        worker.ShouldBeTrue();
    }

    [Fact]
    public void Start_UnstartedTask_Runs()
    {
        var task = new Task<int>(() => 42);
        task.Start(Scheduler);
        Eventually.Result(task).ShouldBe(42);
    }

    [Fact]
    public void StartNew_ManyProducers_EachTaskRunsExactlyOnce()
    {
        const int producers = 4;
        const int each = 2_500;
        var runs = new int[producers * each];
        using var left = new CountdownEvent(runs.Length);
        Thread[] threads = [.. Enumerable.Range(0, producers).Select(p => new Thread(() =>
        {
            for (int i = p * each; i < (p + 1) * each; i++)
            {
                int index = i;
                _ = Factory.StartNew(() =>
                {
                    Interlocked.Increment(ref runs[index]);
                    left.Signal();
                });
            }
        }))];
        Array.ForEach(threads, t => t.Start());
        Array.ForEach(threads, t => t.Join());

        Eventually.Zero(left, "each task must run");
        runs.ShouldAllBe(r => r == 1);
    }

    [Fact]
    public void StartNew_LocalAndGlobalTogether_LosesNone()
    {
        const int roots = 500;
        const int children = 20;
        using var left = new CountdownEvent(roots * (1 + children));
        for (int i = 0; i < roots; i++)
        {
            _ = Factory.StartNew(() =>
            {
                for (int c = 0; c < children; c++)
                {
                    TaskCreationOptions options = c % 2 == 0 ? TaskCreationOptions.None : TaskCreationOptions.PreferFairness;
                    _ = Factory.StartNew(() => left.Signal(), options);
                }

                left.Signal();
            });
        }

        Eventually.Zero(left, "tasks of local and global queues must all run");
    }

    [Fact]
    public void ContinueWith_OnTheScheduler_RunsThere()
    {
        Task<int> antecedent = Factory.StartNew(() => 20);
        Task<(int Value, TaskScheduler Current, bool Worker)> continuation = antecedent.ContinueWith(
            t => (t.Result + 1, TaskScheduler.Current, IsOnAWorker), CancellationToken.None, TaskContinuationOptions.None, Scheduler);

        (int value, TaskScheduler current, bool worker) = Eventually.Result(continuation);
        value.ShouldBe(21);
        current.ShouldBeSameAs(Scheduler);
        worker.ShouldBeTrue();
    }

    [Fact]
    public void StartNew_LongRunning_EachHasABackgroundThreadOfItsOwn()
    {
        const int count = 24;
        using var allThere = new CountdownEvent(count);
        Task<(int Thread, bool Background, bool RuntimePool, TaskScheduler Current)>[] tasks = [.. Enumerable.Range(0, count).Select(_ => Factory.StartNew(
            () =>
            {
                allThere.Signal();
                Eventually.Zero(allThere, "long-running tasks do not wait for each other's slots");
                Thread thread = Thread.CurrentThread;
                return (thread.ManagedThreadId, thread.IsBackground, thread.IsThreadPoolThread, TaskScheduler.Current);
            },
            TaskCreationOptions.LongRunning))];

        var results = tasks.Select(t => Eventually.Result(t)).ToArray();
        results.Select(r => r.Thread).Distinct().Count().ShouldBe(count);
        results.ShouldAllBe(r => r.Background && !r.RuntimePool);
        results.ShouldAllBe(r => r.Current == Scheduler);
    }

    [Fact]
    public void StartNew_LongRunning_AsksForNoWorker()
    {
        using var release = new ManualResetEventSlim();
        Task[] longOnes = [.. Enumerable.Range(0, 2 * Environment.ProcessorCount).Select(_ => Factory.StartNew(release.Wait, TaskCreationOptions.LongRunning))];
        try
        {
            Eventually.Result(Factory.StartNew(() => 1)).ShouldBe(1);
        }
        finally
        {
            release.Set();
        }

        Array.ForEach(longOnes, t => Eventually.End(t));
    }

    [Fact]
    public void Yield_OneEndlessYielder_DoesNotStarveOthers()
    {
        int stop = 0;
        Task[] yielders = [.. Enumerable.Range(0, 2 * Environment.ProcessorCount).Select(_ => Factory.StartNew(async () =>
        {
            while (Volatile.Read(ref stop) == 0)
            {
                await Task.Yield();
            }
        }).Unwrap())];

        Task other = Factory.StartNew(() => Volatile.Write(ref stop, 1), TaskCreationOptions.PreferFairness);
        Eventually.End(other, "a task among yielding ones must get its turn");
        Array.ForEach(yielders, t => Eventually.End(t));
    }

    [Fact]
    public void GetScheduledTasks_TasksWaiting_ListsNoneThatIsNotOfThisScheduler()
    {
        using var open = new ManualResetEventSlim();
        Task[] tasks = [.. Enumerable.Range(0, 64).Select(_ => Factory.StartNew(open.Wait))];
        Task[] listed;
        try
        {
            listed = ScheduledTasks(Scheduler);
        }
        finally
        {
            open.Set();
        }

        Array.ForEach(tasks, t => Eventually.End(t));
        listed.ShouldNotContain((Task)null!);
        if (!Traits.IsDefault)
        {
            // Other tests beside this one use the default scheduler.
            listed.ShouldBeSubsetOf(tasks);
        }

        Eventually.Be(() => !ScheduledTasks(Scheduler).Intersect(tasks).Any(), "tasks that have run are not scheduled any more");
    }

    [Fact]
    public void MaximumConcurrencyLevel_Always_IsAtLeastOne() => Scheduler.MaximumConcurrencyLevel.ShouldBeGreaterThanOrEqualTo(1);

    [Fact]
    public void ParallelFor_OnTheScheduler_RunsEachIndexOnce()
    {
        var runs = new int[10_000];
        ParallelLoopResult result = Eventually.Result(Factory.StartNew(() =>
            Parallel.For(0, runs.Length, new ParallelOptions { TaskScheduler = Scheduler }, i => Interlocked.Increment(ref runs[i]))));

        result.IsCompleted.ShouldBeTrue();
        runs.ShouldAllBe(r => r == 1);
    }

    [Fact]
    public void ParallelFor_FromAForeignThread_RunsEachIndexOnce()
    {
        var runs = new int[10_000];
        bool completed = OnForeignThread(() =>
            Parallel.For(0, runs.Length, new ParallelOptions { TaskScheduler = Scheduler, MaxDegreeOfParallelism = 4 }, i
                => Interlocked.Increment(ref runs[i])).IsCompleted);

        completed.ShouldBeTrue();
        runs.ShouldAllBe(r => r == 1);
    }

    [Fact]
    public void ParallelForEachAsync_OnTheScheduler_RunsBodiesThere()
    {
        int elsewhere = 0;
        int runs = 0;
        Task loop = Parallel.ForEachAsync(Enumerable.Range(0, 200), new ParallelOptions { TaskScheduler = Scheduler }, async (_, _) =>
        {
            await Task.Yield();
            Interlocked.Increment(ref runs);
            if (TaskScheduler.Current != Scheduler)
            {
                Interlocked.Increment(ref elsewhere);
            }
        });

        Eventually.End(loop);
        runs.ShouldBe(200);
        elsewhere.ShouldBe(0);
    }

    private static Task[] ScheduledTasks(TaskScheduler scheduler)
    {
        MethodInfo method = typeof(TaskScheduler).GetMethod("GetScheduledTasks", BindingFlags.Instance | BindingFlags.NonPublic)!;
        var list = (IEnumerable<Task>?)method.Invoke(scheduler, BindingFlags.DoNotWrapExceptions, null, null, null);
        return [.. list.ShouldNotBeNull()];
    }
}
