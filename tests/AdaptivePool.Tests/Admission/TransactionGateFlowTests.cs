using System.Threading.RateLimiting;
using AdaptivePool.Admission;

namespace AdaptivePool.Tests.Admission;

/// <summary>A lease flows with the async context; whoever asks inside a transaction needs no second permit.</summary>
public sealed class TransactionGateFlowTests
{
    [Fact]
    public async Task AcquireAsync_InsideATransaction_TakesNoSecondPermit()
    {
        using var test = new TestGate(1, static o => o.FlowsWithContext = true);
        using RateLimitLease outer = await test.Gate.AcquireAsync();

        using TransactionLease inner = test.Ask().Granted();
        inner.IsNested.ShouldBeTrue();
        GateSnapshot snapshot = test.Gate.GetSnapshot();
        (snapshot.Held, snapshot.Nested, snapshot.Admitted).ShouldBe((1, 1, 1));
    }

    [Fact]
    public async Task AcquireAsync_AfterAWait_FlowsToo()
    {
        using var test = new TestGate(1, static o => o.FlowsWithContext = true);
        TransactionLease first = await Task.Run(() => test.Enter());
        ValueTask<RateLimitLease> wait = test.Gate.AcquireAsync();
        wait.IsCompleted.ShouldBeFalse();
        first.Dispose();
        using RateLimitLease outer = await wait;

        await Task.Yield();
        using RateLimitLease inner = await Nested(test.Gate);
        inner.ShouldBeOfType<TransactionLease>().IsNested.ShouldBeTrue();
        test.Gate.GetSnapshot().Held.ShouldBe(1);

        static async Task<RateLimitLease> Nested(TransactionGate gate)
        {
            await Task.Yield();
            return await gate.AcquireAsync();
        }
    }

    [Fact]
    public void Dispose_NestedFirstOrLast_GivesThePermitBackWithTheLast()
    {
        using var test = new TestGate(1, static o => o.FlowsWithContext = true);
        TransactionLease outer = test.Enter();
        TransactionLease inner = test.Enter();
        inner.Dispose();
        inner.Dispose();
        test.Enter().Dispose();
        TransactionLease last = test.Enter();
        outer.Dispose();
        test.Gate.GetSnapshot().Held.ShouldBe(1);
        last.Dispose();
        test.Gate.GetSnapshot().Held.ShouldBe(0);
    }

    [Fact]
    public void AcquireAsync_AfterTheTransaction_TakesAPermitAgain()
    {
        using var test = new TestGate(2, static o => o.FlowsWithContext = true);
        test.Enter().Dispose();

        test.Enter().IsNested.ShouldBeFalse();
        test.Gate.GetSnapshot().Held.ShouldBe(1);
    }

    [Fact]
    public async Task AcquireAsync_ChildThatOutlivesTheTransaction_TakesAPermitOfItsOwn()
    {
        using var test = new TestGate(2, static o => o.FlowsWithContext = true);
        var ended = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        TransactionLease outer = test.Enter();
        Task<TransactionLease> child = Task.Run(async () =>
        {
            await ended.Task;
            return test.Enter();
        });
        outer.Dispose();
        ended.SetResult();

        (await child.WaitAsync(Eventually.Patience)).IsNested.ShouldBeFalse();
    }

    [Fact]
    public async Task AcquireAsync_OtherFlow_TakesAPermitOfItsOwn()
    {
        using var test = new TestGate(2, static o => o.FlowsWithContext = true);
        test.Enter();
        Task<TransactionLease> other;
        using (ExecutionContext.SuppressFlow())
        {
            other = Task.Run(() => test.Enter());
        }

        (await other.WaitAsync(Eventually.Patience)).IsNested.ShouldBeFalse();
    }

    [Fact]
    public void AcquireAsync_OtherGateInside_TakesAPermitThere()
    {
        using var bank = new TestGate(1, static o => o.FlowsWithContext = true);
        using var stock = new TestGate(1, static o => o.FlowsWithContext = true);
        bank.Enter();
        stock.Enter().IsNested.ShouldBeFalse();
        stock.Enter().IsNested.ShouldBeTrue();
        bank.Enter().IsNested.ShouldBeTrue();
    }

    [Fact]
    public void AcquireAsync_RefusedFlow_LeavesNothingBehind()
    {
        using var test = new TestGate(1, static o => (o.FlowsWithContext, o.QueueLimit) = (true, 0));
        TransactionLease inside = Task.Run(() => test.Enter()).Result;
        test.Ask().Refused().ShouldBe(RefusalReason.QueueFull);
        inside.Dispose();
        test.Enter().IsNested.ShouldBeFalse();
    }
}
