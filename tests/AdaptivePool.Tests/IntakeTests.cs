using AdaptivePool.Admission;
using AdaptivePool.Tests.Admission;

namespace AdaptivePool.Tests;

/// <summary>What comes in, by who brings it: the table of ADR 56.</summary>
public sealed class IntakeTests : PoolTest
{
    private readonly AdaptiveThreadPool _pool;
    private readonly WorkClass _own;
    private readonly WorkClass _other;

    public IntakeTests()
    {
        _pool = CreateFixedPool(1);
        _own = _pool.GetClass("own");
        _other = _pool.GetClass("other");
    }

    [Fact]
    public void Of_FromOutside_IsRootWork() => Intake.Of(_own).ShouldBe(Origin.Root);

    [Fact]
    public void Of_OnAWorker_IsInFlightForItsOwnAndTheDefaultClass()
    {
        Task<(Origin Own, Origin Default, Origin Other)> seen = _own.Run(() => (Intake.Of(_own), Intake.Of(_pool.DefaultClass), Intake.Of(_other)));
        Eventually.End(seen);
        seen.Result.ShouldBe((Origin.InFlight, Origin.InFlight, Origin.Root));
    }

    [Fact]
    public void Of_OnAWorkerOfAnotherPool_IsRootWork()
    {
        Task<Origin> seen = CreateFixedPool(1).Run(() => Intake.Of(_own));
        Eventually.End(seen);
        seen.Result.ShouldBe(Origin.Root);
    }

    [Fact]
    public void Of_InsideATransaction_IsOfIt()
    {
        using var test = new TestGate(1, static o => o.FlowsWithContext = true);
        using (test.Enter())
        {
            Intake.Of(_own).ShouldBe(Origin.Transaction);
            Intake.IsBounded(_own).ShouldBeFalse();
            using (ExecutionContext.SuppressFlow())
            {
                Intake.Of(_own).ShouldBe(Origin.Root, "nothing of the transaction reaches it");
            }
        }

        Intake.Of(_own).ShouldBe(Origin.Root);
        Intake.IsBounded(_own).ShouldBeTrue();
    }

    [Fact]
    public void Of_AfterTheEnd_SaysSo()
    {
        _pool.Dispose();
        Intake.Of(_own).ShouldBe(Origin.AfterTheEnd);
        Should.Throw<ObjectDisposedException>(() => Intake.ThrowIfRefused(_own));
    }

    public static TheoryData<string, Action<WorkClass, IThreadPoolWorkItem>> Items => new()
    {
        { "to the pool", static (it, item) => it.Pool.UnsafeQueueUserWorkItem(item, preferLocal: false) },
        { "to the class", static (it, item) => it.UnsafeQueueRootWork(item) },
        { "as a callback", static (it, item) => it.UnsafeQueueUserWorkItem(static state => state.Execute(), item, preferLocal: false) },
    };

    [Theory]
    [MemberData(nameof(Items))]
    public void Queue_AnItemInsideATransaction_PassesTheRootWorkOfAFullClass(string way, Action<WorkClass, IThreadPoolWorkItem> queue)
    {
        using var test = new TestGate(1, static o => o.FlowsWithContext = true);
        WorkClass full = way == "to the pool" ? _pool.DefaultClass : _own;
        using var held = new WorkerGate(full.Factory, 1);
        Task ahead = full.Run(static () => { });
        var item = new Noting();
        using (test.Enter())
        {
            queue(full, item);
            Eventually.End(item.Context.Task, $"an item given {way} does not wait for the class");
        }

        item.Context.Task.Result.ShouldBeSameAs(full.SynchronizationContext);
        ahead.IsCompleted.ShouldBeFalse();
        held.Open();
        Eventually.End(ahead);
    }

    [Fact]
    public void QueueNew_OnAWorkerOfTheClass_IsRootWork()
    {
        var item = new Noting();
        Task<bool> ran = _own.Run(() =>
        {
            _own.UnsafeQueueRootWork(item);
            return _own.GetSnapshot().Queued == 1;
        });
        Eventually.End(ran);
        ran.Result.ShouldBeTrue("a server reads the next request where the one before has ended");
        Eventually.End(item.Context.Task);
    }

    public static TheoryData<string, Action<WorkClass, IThreadPoolWorkItem>> Placed => new()
    {
        { "for a tenant", static (it, item) => it.UnsafeQueueUserWorkItemFor("tenant", item) },
        { "by its route", static (it, item) => it.UnsafeQueueUserWorkItemRouted(7, item) },
    };

    [Theory]
    [MemberData(nameof(Placed))]
    public void QueueAt_OnAWorkerOfTheClass_RunsInFlightUnderIt(string way, Action<WorkClass, IThreadPoolWorkItem> queue)
    {
        var item = new Noting();
        Task<bool> ran = _own.Run(() =>
        {
            queue(_own, item);
            return _own.GetSnapshot().Queued == 0;
        });
        Eventually.End(ran);
        ran.Result.ShouldBeTrue($"an item {way} continues what queues it");
        Eventually.End(item.Context.Task);
        item.Context.Task.Result.ShouldBeSameAs(_own.SynchronizationContext);
    }

    private sealed class Noting : IThreadPoolWorkItem
    {
        public TaskCompletionSource<SynchronizationContext?> Context { get; } = new(TaskCreationOptions.RunContinuationsAsynchronously);

        public void Execute() => Context.SetResult(SynchronizationContext.Current);
    }
}
