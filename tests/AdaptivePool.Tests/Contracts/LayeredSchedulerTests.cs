namespace AdaptivePool.Tests.Contracts;

/// <summary>Schedulers on top of the pool: an await inside their tasks comes back to them.</summary>
public sealed class LayeredSchedulerTests : PoolTest
{
    public static TheoryData<string, bool> Pairs
    {
        get
        {
            var data = new TheoryData<string, bool>();
            foreach (string how in new[] { "yield", "delay", "elsewhere", "at once" })
            {
                data.Add(how, false);
                data.Add(how, true);
            }

            return data;
        }
    }

    [Theory]
    [MemberData(nameof(Pairs))]
    public void ExclusiveScheduler_TasksAwait_NeverOverlap(string how, bool ofAClass)
    {
        AdaptiveThreadPool pool = CreatePool();
        var pair = new ConcurrentExclusiveSchedulerPair(ofAClass ? pool.GetClass("partner").Scheduler : pool.Scheduler);
        Overlap(pair.ExclusiveScheduler, how).ShouldBe((1, 0));
    }

    [Fact]
    public void ConcurrentScheduler_TasksAwait_KeepsItsLimit()
    {
        AdaptiveThreadPool pool = CreatePool();
        var pair = new ConcurrentExclusiveSchedulerPair(pool.Scheduler, maxConcurrencyLevel: 2);
        (int most, int elsewhere) = Overlap(pair.ConcurrentScheduler, "yield");
        most.ShouldBeLessThanOrEqualTo(2);
        elsewhere.ShouldBe(0);
    }

    [Fact]
    public void ExclusiveScheduler_OverAnotherPair_NeverOverlaps()
    {
        var outer = new ConcurrentExclusiveSchedulerPair(CreatePool().Scheduler);
        var inner = new ConcurrentExclusiveSchedulerPair(outer.ConcurrentScheduler);
        Overlap(inner.ExclusiveScheduler, "yield").ShouldBe((1, 0));
    }

    [Fact]
    public void ExclusiveScheduler_UsedFromARunningItem_NeverOverlaps()
    {
        AdaptiveThreadPool pool = CreatePool();
        var pair = new ConcurrentExclusiveSchedulerPair(pool.Scheduler);
        Eventually.Result(pool.Run(() => Overlap(pair.ExclusiveScheduler, "yield"))).ShouldBe((1, 0));
    }

    [Fact]
    public void ExclusiveScheduler_TaskInlinedInsideATask_ComesBackToo()
    {
        AdaptiveThreadPool pool = CreatePool();
        var pair = new ConcurrentExclusiveSchedulerPair(pool.Scheduler);
        TaskScheduler exclusive = pair.ExclusiveScheduler;
        var factory = new TaskFactory(exclusive);
        (bool inline, TaskScheduler after) = Eventually.Result(factory.StartNew(() =>
        {
            int thread = Environment.CurrentManagedThreadId;
            var inner = new Task<Task<TaskScheduler>>(async () =>
            {
                await Task.Yield();
                return TaskScheduler.Current;
            });
            int ranOn = 0;
            var shell = new Task(() => ranOn = Environment.CurrentManagedThreadId);
            shell.RunSynchronously(exclusive);
            inner.RunSynchronously(exclusive);
            return inner.Result.ContinueWith(t => (ranOn == thread, t.Result), TaskScheduler.Default);
        }).Unwrap());
        inline.ShouldBeTrue();
        after.ShouldBeSameAs(exclusive);
    }

    public static TheoryData<string> Ways => [.. Enum.GetNames<LimitedScheduler.Way>()];

    [Theory]
    [MemberData(nameof(Ways))]
    public void SchedulerOfAUser_TasksAwait_KeepsItsLimit(string way)
    {
        AdaptiveThreadPool pool = CreatePool();
        (int most, int elsewhere) = Overlap(new LimitedScheduler(pool, Enum.Parse<LimitedScheduler.Way>(way), limit: 2), "yield");
        most.ShouldBeLessThanOrEqualTo(2);
        elsewhere.ShouldBe(0);
    }

    [Fact]
    public void WithoutSynchronizationContext_AwaitInATask_ComesBackToIt()
    {
        AdaptiveThreadPool pool = CreatePool();
        AdaptiveTaskScheduler plain = pool.Scheduler.WithoutSynchronizationContext;
        plain.ShouldNotBeSameAs(pool.Scheduler);
        plain.ShouldBeSameAs(pool.Scheduler.WithoutSynchronizationContext);
        plain.WithoutSynchronizationContext.ShouldBeSameAs(plain);
        (SynchronizationContext? context, TaskScheduler before, TaskScheduler after, AdaptiveThreadPool? home) = Eventually.Result(Task.Factory.StartNew(
            async () =>
            {
                SynchronizationContext? context = SynchronizationContext.Current;
                TaskScheduler before = TaskScheduler.Current;
                await Task.Yield();
                return (context ?? SynchronizationContext.Current, before, TaskScheduler.Current, AdaptiveThreadPool.Current);
            },
            CancellationToken.None,
            TaskCreationOptions.None,
            plain).Unwrap());
        context.ShouldBeNull();
        before.ShouldBeSameAs(plain);
        after.ShouldBeSameAs(plain);
        home.ShouldBeSameAs(pool);
    }

    // Tasks from outside run on the runtime's pool from then on.
    [Theory]
    [InlineData("yield")]
    [InlineData("delay")]
    public void ExclusiveScheduler_PoolIsDisposed_NeverOverlaps(string how)
    {
        AdaptiveThreadPool pool = CreatePool();
        pool.Dispose();
        var pair = new ConcurrentExclusiveSchedulerPair(pool.Scheduler.WithoutSynchronizationContext);
        Overlap(pair.ExclusiveScheduler, how).ShouldBe((1, 0));
    }

    [Fact]
    public void ExclusiveScheduler_GoesOnInsideATaskOfADisposedPool_ComesBack()
    {
        AdaptiveThreadPool pool = CreatePool();
        pool.Dispose();
        TaskScheduler exclusive = new ConcurrentExclusiveSchedulerPair(pool.Scheduler).ExclusiveScheduler;
        var factory = new TaskFactory(exclusive);
        var source = new TaskCompletionSource();
        Task<TaskScheduler> waits = factory.StartNew(async () =>
        {
            await source.Task;
            await Task.Yield();
            return TaskScheduler.Current;
        }).Unwrap();
        Eventually.End(factory.StartNew(() => new Task(source.SetResult).RunSynchronously(pool.Scheduler)));
        Eventually.Result(waits).ShouldBeSameAs(exclusive);
    }

    [Fact]
    public void StartNew_ByAnItemThatGoesOnPastTheEnd_AwaitComesBackToTheScheduler()
    {
        AdaptiveThreadPool pool = CreatePool(new AdaptivePoolOptions { MinThreads = 1, MaxThreads = 1, DrainTimeout = TimeSpan.Zero });
        WorkClass partner = pool.GetClass("partner");
        using var begun = new ManualResetEventSlim();
        using var ended = new ManualResetEventSlim();
        Task<Task<Task<TaskScheduler>>> item = partner.Factory.StartNew(() =>
        {
            begun.Set();
            Eventually.Set(ended, "the pool ends");
            return partner.Factory.StartNew(async () =>
            {
                await Task.Yield();
                return TaskScheduler.Current;
            });
        });
        Eventually.Set(begun, "the item begins");
        pool.Dispose();
        ended.Set();
        Eventually.Result(Eventually.Result(Eventually.Result(item))).ShouldBeSameAs(partner.Scheduler);
    }

    [Fact]
    public void ItemOfAScheduler_HandedOverAtTheEnd_SeesNoContext()
    {
        AdaptiveThreadPool pool = CreatePool(new AdaptivePoolOptions { MinThreads = 1, MaxThreads = 1, DrainTimeout = TimeSpan.Zero });
        var scheduler = new LimitedScheduler(pool, LimitedScheduler.Way.WorkItem, limit: 1);
        Task<SynchronizationContext?> queued;
        using (new WorkerGate(pool.Factory, 1))
        {
            queued = Task.Factory.StartNew(static () => SynchronizationContext.Current, CancellationToken.None, TaskCreationOptions.None, scheduler);
            pool.Dispose();
            Eventually.Result(queued).ShouldBeNull();
        }
    }

    [Fact]
    public void WithoutSynchronizationContext_TaskWaitsForAChild_RunsItInline()
    {
        AdaptiveThreadPool pool = CreateSingleThreadPool();
        var factory = new TaskFactory(pool.Scheduler.WithoutSynchronizationContext);
        Eventually.Result(factory.StartNew(() => Enumerable.Range(0, 50).Select(i => factory.StartNew(() => i)).ToArray().Sum(t => t.Result))).ShouldBe(1_225);
    }

    [Fact]
    public void ItemWithoutContext_OfAClass_QueuesWorkInFlight()
    {
        AdaptiveThreadPool pool = CreateSingleThreadPool();
        WorkClass partner = pool.GetClass("partner");
        var pair = new ConcurrentExclusiveSchedulerPair(partner.Scheduler);
        Task? child = null;
        (long root, long inFlight) = Eventually.Result(new TaskFactory(pair.ExclusiveScheduler).StartNew(() =>
        {
            child = partner.Factory.StartNew(() => { });
            PoolSnapshot now = pool.GetSnapshot();
            return (now.Classes.Single(c => c.Name == "partner").Queued, now.Classes[^1].Queued);
        }));
        (root, inFlight).ShouldBe((0, 1));
        Eventually.End(child!);
    }

    /// <summary>The most tasks of the scheduler that ran at once, and how often one came back elsewhere.</summary>
    private static (int Most, int Elsewhere) Overlap(TaskScheduler scheduler, string how)
    {
        var factory = new TaskFactory(scheduler);
        int inside = 0;
        int most = 0;
        int elsewhere = 0;
        Task[] tasks = [.. Enumerable.Range(0, 64).Select(_ => factory.StartNew(async () =>
        {
            for (int i = 0; i < 8; i++)
            {
                int now = Interlocked.Increment(ref inside);
                InterlockedMax(ref most, now);
                Thread.SpinWait(200);
                Interlocked.Decrement(ref inside);
                await (how switch
                {
                    "delay" => Task.Delay(1),
                    "elsewhere" => Task.Run(static () => Thread.SpinWait(100)),
                    "at once" => Task.CompletedTask,
                    _ => Yield(),
                });
                if (TaskScheduler.Current != scheduler)
                {
                    Interlocked.Increment(ref elsewhere);
                }
            }
        }).Unwrap())];
        Array.ForEach(tasks, t => Eventually.End(t));
        return (most, elsewhere);

        static async Task Yield() => await Task.Yield();
    }

    private static void InterlockedMax(ref int target, int value)
    {
        int seen = Volatile.Read(ref target);
        while (value > seen)
        {
            int before = Interlocked.CompareExchange(ref target, value, seen);
            if (before == seen)
            {
                return;
            }

            seen = before;
        }
    }
}
