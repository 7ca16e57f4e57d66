using System.Collections.Concurrent;
using System.Threading.RateLimiting;
using AdaptivePool.Admission;
using AdaptivePool.Tests.Admission;

namespace AdaptivePool.Tests;

/// <summary>What items of open transactions pass, and when they do not.</summary>
public sealed class HighPriorityModeTests : PoolTest
{
    private readonly TestGate _gate = new(1, static o => o.FlowsWithContext = true);
    private readonly ConcurrentQueue<string> _ran = new();

    /// <summary>Each way in for an item of a transaction: its class, what it does, its priority where it has one.</summary>
    public static TheoryData<string, Func<WorkClass, Action, Task>> Ways => new()
    {
        { "an action", static (it, action) => it.Run(action) },
        { "an async function", static (it, action) => it.Run(() => Do(action)) },
        { "a task", static (it, action) => it.Factory.StartNew(action) },
        { "a task without the context", static (it, action) => new TaskFactory(it.Scheduler.WithoutSynchronizationContext).StartNew(action) },
        { "of a tenant", static (it, action) => it.RunFor("tenant", action) },
        { "with a route", static (it, action) => it.RunRouted(7, action) },
        { "a callback", static (it, action) => AsTask(action, run => it.QueueUserWorkItem(_ => run())) },
        { "an item", static (it, action) => AsTask(action, run => it.UnsafeQueueRootWork(new CallbackItem(run))) },
        { "an item of a tenant", static (it, action) => AsTask(action, run => it.UnsafeQueueUserWorkItemFor("tenant", new CallbackItem(run))) },
        { "an item with a route", static (it, action) => AsTask(action, run => it.UnsafeQueueUserWorkItemRouted(7, new CallbackItem(run))) },
        { "in sequence", static (it, action) => it.AsSequential().Run(action) },
    };

    [Theory]
    [MemberData(nameof(Ways))]
    public void Tickets_OneOfATransaction_EverySecondItemWaitsWithNewWork(string way, Func<WorkClass, Action, Task> queue)
    {
        WorkClass target = CreateSingle(tickets: 1).GetClass("target");
        List<Task> all = [];
        using (new WorkerGate(target.Pool.Factory, 1))
        using (_gate.Enter())
        {
            for (int i = 0; i < 6; i++)
            {
                all.Add(Outside(() => target.Run(() => { })));
                all.Add(queue(target, () => SynchronizationContext.Current.ShouldBe(way == "a task without the context" ? null : Context(way, target))));
            }

            target.GetSnapshot().Queued.ShouldBe(6 + 3, $"{way}: three of the transaction's six beside the new ones");
            target.Pool.GetSnapshot().Statistics.HeldBack.ShouldBe(3);
        }

        Eventually.End(Task.WhenAll(all));
    }

    [Fact]
    public void Tickets_OneThread_HeldBackItemsComeInTheirTurnAndTheOthersFirst()
    {
        WorkClass target = CreateSingle(tickets: 1).GetClass("target");
        List<Task> all = [];
        using (new WorkerGate(target.Pool.Factory, 1))
        using (_gate.Enter())
        {
            for (int i = 0; i < 3; i++)
            {
                string number = i.ToString(System.Globalization.CultureInfo.InvariantCulture);
                all.Add(Outside(() => target.Run(Note("new " + number))));
                all.Add(target.Run(Note("first " + number)));
                all.Add(target.Run(Note("held " + number)));
            }
        }

        Eventually.End(Task.WhenAll(all));
        string[] ran = [.. _ran];
        ran.Where(static it => !it.StartsWith('f')).ShouldBe(["new 0", "held 0", "new 1", "held 1", "new 2", "held 2"], "each in its turn");
        ran.Where(static it => it.StartsWith('f')).ShouldBe(["first 0", "first 1", "first 2"]);

        // One look in sixteen begins with new work, whatever is in flight.
        Array.IndexOf(ran, "first 2").ShouldBeLessThanOrEqualTo(3);
    }

    [Fact]
    public void Tickets_TwoOfATransaction_AreCountedAcrossAwaitsAndNestedLeases()
    {
        AdaptiveThreadPool pool = CreateSingle(tickets: 2);
        WorkClass target = pool.GetClass("target");
        List<long> heldBack = [];
        Task transaction = pool.GetClass("caller").Run(async () =>
        {
            using TransactionLease lease = _gate.Enter();
            for (int i = 0; i < 7; i++)
            {
                await Task.Yield();
                using TransactionLease nested = _gate.Enter();
                await target.Run(static () => Task.Delay(1)).ConfigureAwait(i % 2 == 0);
                heldBack.Add(pool.GetSnapshot().Statistics.HeldBack);
            }
        });
        Eventually.End(transaction);
        heldBack.ShouldBe([0, 0, 1, 1, 1, 2, 2]);

        using (_gate.Enter())
        {
            Eventually.End(target.Run(() => { }));
            pool.GetSnapshot().Statistics.HeldBack.ShouldBe(2, "the next transaction has all of them");
        }
    }

    [Fact]
    public void Mode_AsItIs_HoldsNothingBack()
    {
        AdaptiveThreadPool pool = CreateSingleThreadPool();
        using (_gate.Enter())
        {
            Eventually.End(Task.WhenAll(Enumerable.Range(0, 1_000).Select(_ => pool.Run(() => { }))));
        }

        pool.GetSnapshot().Statistics.HeldBack.ShouldBe(0);
    }

    [Fact]
    public void Mode_None_ItemsOfATransactionWaitByTheirPriority()
    {
        AdaptiveThreadPool pool = CreateSingle(HighPriorityMode.None);
        Task all;
        using (new WorkerGate(pool.Factory, 1))
        using (_gate.Enter())
        {
            all = Task.WhenAll(
                pool.Run(Note("low"), WorkPriority.Low),
                Outside(() => pool.Run(Note("new"))),
                pool.Run(Note("normal")),
                pool.Run(() => Do(Note("high")), WorkPriority.High));
        }

        Eventually.End(all);
        _ran.ShouldBe(["high", "new", "normal", "low"]);
    }

    [Fact]
    public void Mode_Statements_AllWaitInTheOrderInWhichTheyCome()
    {
        AdaptiveThreadPool pool = CreateSingle(HighPriorityMode.Statements);
        Task all;
        using (new WorkerGate(pool.Factory, 1))
        using (_gate.Enter())
        {
            all = Task.WhenAll(
                Outside(() => pool.Run(Note("low"), WorkPriority.Low)),
                Outside(() => pool.Run(() => Do(Note("function")), WorkPriority.Low)),
                pool.Run(Note("of a transaction")),
                Outside(() => pool.Run(Note("high"), WorkPriority.High)));
        }

        Eventually.End(all);
        _ran.ShouldBe(["low", "function", "of a transaction", "high"]);
    }

    [Theory]
    [InlineData(HighPriorityMode.None)]
    [InlineData(HighPriorityMode.Statements)]
    [InlineData(HighPriorityMode.Transactions)]
    public void KickUp_AllWorkersWaitForThePermit_TheHoldersItemsGoFirstAfterIt(HighPriorityMode mode)
    {
        // One worker for the class, which is not lent another: those before it would wait for its permit for ever.
        AdaptiveThreadPool pool = CreatePool(new AdaptivePoolOptions
        {
            Sizing = PoolSizing.Fixed(1),
            HighPriorityMode = mode,
            HighPriorityTickets = 1,
            PriorityKickUp = TimeSpan.FromMilliseconds(20),
        });
        WorkClass target = pool.GetClass("target");
        using var gate = new TransactionGate(new TransactionGateOptions { PermitLimit = 1, QueueLimit = 100 });
        int entered = 0;
        Task[] waiters;
        using (RateLimitLease lease = gate.AttemptAcquire())
        {
            waiters = [.. Enumerable.Range(0, 20).Select(_ => Outside(() => target.Run(() =>
            {
                using RateLimitLease own = gate.Acquire(default);
                entered += own.IsAcquired ? 1 : 0;
            })))];
            Eventually.Be(() => gate.GetStatistics()!.CurrentQueuedCount > 0, "one waits for the permit with its worker");
            for (int i = 0; i < 4; i++)
            {
                Eventually.End(target.Run(() => { }), "the holder's items");
            }

            pool.GetSnapshot().Statistics.KickUps.ShouldBe(mode == HighPriorityMode.Transactions ? 2 : 4);
        }

        Eventually.End(Task.WhenAll(waiters));
        entered.ShouldBe(20);
    }

    [Fact]
    public void Bounds_ItemsOfATransaction_AreNeverRefused()
    {
        AdaptiveThreadPool pool = CreateSingle(HighPriorityMode.None);
        WorkClass bounded = pool.GetClass("bounded");
        (bounded.MaxQueued, bounded.MaxQueueTime) = (1, TimeSpan.FromMilliseconds(1));
        var item = new RefusableItem();
        Task all;
        Task late;
        using (new WorkerGate(pool.Factory, 1))
        {
            late = bounded.Run(() => { });
            using (_gate.Enter())
            {
                all = Task.WhenAll(bounded.Run(() => { }), bounded.Run(() => 1), bounded.Run(() => Task.CompletedTask), bounded.RunFor("a", () => { }));
                bounded.UnsafeQueueRootWork(item);
            }

            Should.Throw<WorkRefusedException>(() => Eventually.End(bounded.Run(() => { }))).Reason.ShouldBe(RefusalReason.QueueFull);
            Thread.Sleep(10);
        }

        Should.Throw<WorkRefusedException>(() => Eventually.End(late)).Reason.ShouldBe(RefusalReason.QueueTimeout);
        Eventually.End(all);
        Eventually.Result(item.Outcome.Task).ShouldBeNull("it has run");
    }

    [Fact]
    public void Dispose_WhileItemsAreHeldBack_EachRunsOnce()
    {
        AdaptiveThreadPool pool = CreatePool(new AdaptivePoolOptions
        {
            MinThreads = 1,
            MaxThreads = 1,
            HighPriorityMode = HighPriorityMode.None,
            PriorityKickUp = TimeSpan.FromMilliseconds(1),
            DrainTimeout = TimeSpan.FromMilliseconds(50),
        });
        int[] runs = new int[100];
        List<Task> all = [];
        using (new WorkerGate(pool.Factory, 1))
        {
            using (_gate.Enter())
            {
                for (int i = 0; i < runs.Length; i++)
                {
                    int number = i;
                    all.Add(i % 2 == 0
                        ? pool.Run(() => Do(() => Interlocked.Increment(ref runs[number])))
                        : pool.Run(() => Interlocked.Increment(ref runs[number])));
                }

                Eventually.Be(() => pool.GetSnapshot().Statistics.KickUps == runs.Length, "all of them wait in two places");
            }

            ValueTask end = pool.DisposeAsync();
            Eventually.End(Task.WhenAll(all), "what has not begun in time runs on the runtime's pool");
            _ = end.AsTask();
        }

        Eventually.End(pool.DisposeAsync().AsTask());
        runs.ShouldAllBe(static count => count == 1);
    }

    [Fact]
    public void Waiting_HeldBackItems_AreToldAsWhatTheyAre()
    {
        AdaptiveThreadPool pool = CreateSingle(HighPriorityMode.None);
        Task all;
        using (new WorkerGate(pool.Factory, 1))
        using (_gate.Enter())
        {
            all = Task.WhenAll(pool.Run(() => { }), pool.Run(() => Task.CompletedTask));
            pool.GetSnapshot(10).QueuedItems.Select(static row => row.Item).ShouldBe(["Task", "function"]);
        }

        Eventually.End(all);
    }

    private AdaptiveThreadPool CreateSingle(HighPriorityMode mode = HighPriorityMode.Transactions, int? tickets = null) => CreatePool(new AdaptivePoolOptions
    {
        MinThreads = 1,
        MaxThreads = 1,
        HighPriorityMode = mode,
        HighPriorityTickets = tickets,

        // Nothing goes first because it has waited.
        PriorityKickUp = Timeout.InfiniteTimeSpan,
    });

    private Action Note(string name) => () => _ran.Enqueue(name);

    /// <summary>What runs where nothing of the transaction flows.</summary>
    private static Task Outside(Func<Task> queue)
    {
        using (ExecutionContext.SuppressFlow())
        {
            return queue();
        }
    }

    private static SynchronizationContext? Context(string way, WorkClass target) => way.Contains("task", StringComparison.Ordinal) || way == "in sequence"
        ? SynchronizationContext.Current : target.SynchronizationContext;

    private static Task Do(Action action)
    {
        action();
        return Task.CompletedTask;
    }

    private static Task AsTask(Action action, Action<Action> queue)
    {
        var source = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        queue(() =>
        {
            try
            {
                action();
                source.SetResult();
            }
            catch (Exception exception)
            {
                source.SetException(exception);
            }
        });
        return source.Task;
    }
}
