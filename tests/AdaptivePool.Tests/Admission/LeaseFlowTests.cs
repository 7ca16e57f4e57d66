using System.Runtime.CompilerServices;
using System.Threading.RateLimiting;
using AdaptivePool.Admission;
using AdaptivePool.Dispatch;

namespace AdaptivePool.Tests.Admission;

/// <summary>What the holder of a permit queues from threads of others is in flight until the transaction ends: it never waits behind a full class.</summary>
public sealed class LeaseFlowTests : PoolTest
{
    private readonly AdaptiveThreadPool _pool;
    private readonly WorkClass _full;

    public LeaseFlowTests()
    {
        _pool = CreateFixedPool(1);
        _full = _pool.GetClass("full");
    }

    public static TheoryData<string, Func<WorkClass, Task>> Ways => new()
    {
        { "an action", static it => it.Run(static () => { }) },
        { "a function", static it => it.Run(static () => 1) },
        { "an asynchronous function", static it => it.Run(async () => await Task.Yield()) },
        { "a factory", static it => it.Factory.StartNew(static () => { }) },
        { "a task with a priority", static it => it.Run(static () => { }, WorkPriority.Low) },
        { "a fair task", static it => Task.Factory.StartNew(static () => { }, CancellationToken.None, TaskCreationOptions.PreferFairness, it.Scheduler) },
    };

    [Theory]
    [MemberData(nameof(Ways))]
    public void Run_InsideATransaction_PassesTheRootWorkOfAFullClass(string way, Func<WorkClass, Task> run)
    {
        using TestGate test = NewGate();
        using var held = new WorkerGate(_full.Factory, 1);
        Task ahead = _full.Run(static () => { });
        using (test.Enter())
        {
            Eventually.End(run(_full), $"{way} does not wait for the class");
        }

        ahead.IsCompleted.ShouldBeFalse();
        held.Open();
        Eventually.End(ahead);
    }

    [Fact]
    public void Run_InTheDefaultClass_PassesToo()
    {
        using TestGate test = NewGate();
        using var held = new WorkerGate(_pool.Factory, 1);
        Task ahead = _pool.Run(static () => { });
        using (test.Enter())
        {
            Eventually.End(_pool.Run(static () => { }), "it does not wait for the class");
        }

        ahead.IsCompleted.ShouldBeFalse();
    }

    [Theory]
    [MemberData(nameof(Ways))]
    public void Run_OnAWorkerInAnotherClass_PassesTooAndIsEverybodys(string way, Func<WorkClass, Task> run)
    {
        using TestGate test = NewGate();
        using var held = new WorkerGate(_full.Factory, 1);
        Task queued = Task.CompletedTask;
        int own = -1;
        Task outer = _pool.Run(() =>
        {
            using (test.Enter())
            {
                queued = run(_full);
                own = Worker.Current!.LocalCount;
            }
        });

        Eventually.End(outer);
        own.ShouldBe(0, $"{way} alone in the worker's own queue would wake nobody");
        Eventually.End(queued, "the transaction goes on in another class");
    }

    [Fact]
    public void Run_AsyncFunction_RunsUnderTheContextOfItsClass()
    {
        using TestGate test = NewGate();
        using TransactionLease lease = test.Enter();

        Task<bool> isThere = _full.Run(async () =>
        {
            bool begins = ReferenceEquals(SynchronizationContext.Current, _full.SynchronizationContext);
            await Task.Yield();
            return begins && ReferenceEquals(SynchronizationContext.Current, _full.SynchronizationContext);
        });

        Eventually.End(isThere);
        isThere.Result.ShouldBeTrue();
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void Run_AfterTheTransaction_IsRootWorkAgain(bool endsElsewhere)
    {
        using TestGate test = NewGate();
        TransactionLease lease = test.Enter();
        if (endsElsewhere)
        {
            // It stays in the context of this thread, and is found ended.
            var thread = new Thread(lease.Dispose);
            thread.UnsafeStart();
            thread.Join();
        }
        else
        {
            lease.Dispose();
        }

        ShouldBeRoot();
    }

    [Fact]
    public void Run_AfterTheOuterLeaseWhileANestedOneIsHeld_IsStillOfTheTransaction()
    {
        using TestGate test = NewGate();
        TransactionLease outer = test.Enter();
        TransactionLease nested = test.Enter();
        nested.IsNested.ShouldBeTrue();
        outer.Dispose();
        LeaseFlow.HoldsPermit.ShouldBeTrue();
        nested.Dispose();
        LeaseFlow.HoldsPermit.ShouldBeFalse();
    }

    [Fact]
    public void Run_WhereTheFlowIsSuppressed_IsRootWork()
    {
        using TestGate test = NewGate();
        using TransactionLease lease = test.Enter();
        using (ExecutionContext.SuppressFlow())
        {
            ShouldBeRoot("nothing of the transaction reaches it");
        }
    }

    public static TheoryData<string, int, TransactionPriority, bool> Unbounded => new()
    {
        { "let in past the limit", 1, TransactionPriority.Admin, true },
        { "let in while the limit is off", 0, TransactionPriority.Normal, true },
        { "held by a gate whose leases do not flow", 1, TransactionPriority.Normal, false },
    };

    [Theory]
    [MemberData(nameof(Unbounded))]
    public void Run_WithALeaseThatNothingBounds_IsRootWork(string why, int limit, TransactionPriority priority, bool flows)
    {
        using TestGate test = NewGate(limit, flows);
        using TransactionLease lease = test.Enter(new TransactionRequest { Priority = priority });
        ShouldBeRoot(why);
    }

    [Fact]
    public void Run_RefusedOrStillWaiting_IsRootWorkUntilLetIn()
    {
        using TestGate test = NewGate();
        TransactionLease first = Unflowed(() => test.Enter());
        test.Gate.AttemptAcquire().IsAcquired.ShouldBeFalse();
        ValueTask<RateLimitLease> wait = test.Gate.AcquireAsync();
        ShouldBeRoot("it waits");

        first.Dispose();

        wait.IsCompletedSuccessfully.ShouldBeTrue();
        LeaseFlow.HoldsPermit.ShouldBeTrue();
        wait.Result.Dispose();
        LeaseFlow.HoldsPermit.ShouldBeFalse();
    }

    [Fact]
    public void Run_BetweenTwoGates_IsOfTheTransactionThatIsLeft()
    {
        using TestGate one = NewGate();
        using TestGate two = NewGate();
        TransactionLease first = one.Enter();
        TransactionLease second = two.Enter();
        (one.Gate.GetSnapshot().Held, two.Gate.GetSnapshot().Held).ShouldBe((1, 1));
        foreach (TestGate gate in new[] { one, two })
        {
            TransactionLease nested = gate.Enter();
            nested.IsNested.ShouldBeTrue();
            nested.Dispose();
        }

        second.Dispose();
        LeaseFlow.HoldsPermit.ShouldBeTrue();
        first.Dispose();
        LeaseFlow.HoldsPermit.ShouldBeFalse();
    }

    [Fact]
    public void Flow_ThroughManyGates_FindsTheOuterLease()
    {
        using TestGate outer = NewGate();
        using TransactionLease lease = outer.Enter();
        for (int i = 0; i < 3; i++)
        {
            using TestGate inner = NewGate();
            inner.Enter().Dispose();
            using RateLimitLease nested = outer.Enter();
            nested.ShouldBeOfType<TransactionLease>().IsNested.ShouldBeTrue();
        }

        LeaseFlow.HoldsPermit.ShouldBeTrue();
    }

    [Fact]
    public async Task Run_PoolIsDisposed_IsRefusedAsRootWorkIs()
    {
        AdaptiveThreadPool ended = CreatePool();
        await ended.DisposeAsync();
        using TestGate test = NewGate();
        using TransactionLease lease = test.Enter();
        await ended.Factory.StartNew(static () => { });
        Should.Throw<ObjectDisposedException>(() => ended.Run(static () => Task.CompletedTask));
    }

    [Theory]
    [InlineData("ended elsewhere")]
    [InlineData("refused")]
    [InlineData("cancelled")]
    public void Flow_ThroughManyGates_KeepsNoLeaseThatIsOver(string how)
    {
        using TestGate outer = NewGate();
        using TransactionLease lease = outer.Enter();
        WeakReference over = LeaveOver(how);

        // Whoever enters next tidies up.
        using TestGate next = NewGate();
        using TransactionLease entered = next.Enter();

        Eventually.Be(
            () =>
            {
                GC.Collect();
                return !over.IsAlive;
            },
            $"a lease that is {how} is not kept");
        LeaseFlow.HoldsPermit.ShouldBeTrue();
    }

    [Fact]
    public void Flow_OneOfSeveralTransactionsEnds_KeepsItsLeaseNoLonger()
    {
        using TestGate first = NewGate();
        using TestGate second = NewGate();
        using TransactionLease outer = first.Enter();
        using TransactionLease inner = second.Enter();
        WeakReference over = EnterAndEnd();

        Eventually.Be(
            () =>
            {
                GC.Collect();
                return !over.IsAlive;
            },
            "a lease that has ended is not kept, whoever enters next");
        LeaseFlow.HoldsPermit.ShouldBeTrue();
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static WeakReference EnterAndEnd()
    {
        using TestGate third = NewGate();
        TransactionLease lease = third.Enter();
        lease.Dispose();
        return new WeakReference(lease);
    }

    /// <summary>A lease that is over and still in the context of this thread.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static WeakReference LeaveOver(string how)
    {
        if (how == "ended elsewhere")
        {
            using TestGate inner = NewGate();
            TransactionLease lease = inner.Enter();
            Unflowed(() =>
            {
                lease.Dispose();
                return true;
            });
            return new WeakReference(lease);
        }

        var waiting = new TransactionLease();
        new LeaseFlow().Set(waiting, LeaseFlow.Present);
        var answer = new LeaseAnswer(waiting);
        if (how == "refused")
        {
            answer.Refuse(new RefusedLease(RefusalReason.QueueFull, retryAfter: null));
        }

        answer.Complete(new CancellationToken(canceled: true));
        return new WeakReference(waiting);
    }

    private static TestGate NewGate(int limit = 1, bool flows = true) => new(limit, o => o.FlowsWithContext = flows);

    /// <summary>Does something on a flow of its own.</summary>
    private static T Unflowed<T>(Func<T> act)
    {
        T result = default!;
        var thread = new Thread(() => result = act());
        thread.UnsafeStart();
        thread.Join();
        return result;
    }

    private void ShouldBeRoot(string? why = null)
    {
        using var held = new WorkerGate(_full.Factory, 1);
        Task[] queued = [_full.Run(static () => { }), _full.Run(static () => Task.CompletedTask)];
        _full.GetSnapshot().Queued.ShouldBe(2, why);
        held.Open();
        Array.ForEach(queued, static item => Eventually.End(item));
    }
}
