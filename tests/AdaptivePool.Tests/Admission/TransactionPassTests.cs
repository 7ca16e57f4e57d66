using System.Threading.RateLimiting;
using AdaptivePool.Admission;

namespace AdaptivePool.Tests.Admission;

public sealed class TransactionPassTests
{
    [Fact]
    public void TryPass_UpToTheLimit_CountsAsALease()
    {
        using var test = new TestGate(2);
        using TransactionPass pass = test.Gate.TryPass();
        test.Enter();
        pass.IsAcquired.ShouldBeTrue();
        using TransactionPass refused = test.Gate.TryPass();
        refused.IsAcquired.ShouldBeFalse();
        test.Gate.AttemptAcquire().Reason().ShouldBe(RefusalReason.Full);
    }

    [Fact]
    public void Dispose_TwiceThroughCopies_GivesOnePermitBack()
    {
        using var test = new TestGate(3);
        TransactionPass pass = test.Gate.TryPass();
        TransactionPass copy = pass;
        pass.Dispose();
        TransactionPass second = test.Gate.TryPass();
        copy.Dispose();
        pass.Dispose();
        test.Gate.GetSnapshot().Held.ShouldBe(1);
        second.Dispose();
        test.Gate.GetSnapshot().Held.ShouldBe(0);
    }

    [Fact]
    public void Dispose_InAnyOrder_GivesEachBackOnce()
    {
        using var test = new TestGate(3);
        TransactionPass a = test.Gate.TryPass();
        TransactionPass b = test.Gate.TryPass();
        a.Dispose();
        TransactionPass c = test.Gate.TryPass();
        b.Dispose();
        b.Dispose();
        test.Gate.GetSnapshot().Held.ShouldBe(1);
        c.Dispose();
        test.Gate.GetSnapshot().Held.ShouldBe(0);
    }

    [Fact]
    public void Dispose_SomebodyWaits_LetsItIn()
    {
        using var test = new TestGate(1);
        TransactionPass pass = test.Gate.TryPass();
        Task<RateLimitLease> wait = test.Wait();
        using (TransactionPass late = test.Gate.TryPass())
        {
            late.IsAcquired.ShouldBeFalse();
        }

        pass.Dispose();
        wait.Granted();
    }

    [Fact]
    public void TryPass_DividedOrDisposedGate_GivesNone()
    {
        using var divided = new TestGate(4, static o => o.Partitioning = GatePartitioning.PerGroup);
        divided.Gate.TryPass().IsAcquired.ShouldBeFalse();
        using var disposed = new TestGate(4);
        disposed.Gate.Dispose();
        disposed.Gate.TryPass().IsAcquired.ShouldBeFalse();
    }

    [Fact]
    public void Dispose_ManyOpenAndCopied_GivesEachBackOnce()
    {
        using var test = new TestGate(20);
        Nest(test.Gate, 9);
        test.Gate.GetSnapshot().Held.ShouldBe(0);

        static void Nest(TransactionGate gate, int depth)
        {
            TransactionPass pass = gate.TryPass();
            TransactionPass copy = pass;
            if (depth > 0)
            {
                Nest(gate, depth - 1);
            }

            int held = gate.GetSnapshot().Held;
            pass.Dispose();
            TransactionPass next = gate.TryPass();
            copy.Dispose();
            pass.Dispose();
            gate.GetSnapshot().Held.ShouldBe(held);
            next.Dispose();
            gate.GetSnapshot().Held.ShouldBe(held - 1);
        }
    }

    [Fact]
    public void TryPass_AfterARefusal_PassesAsSoonAsThereIsRoom()
    {
        using var test = new TestGate(1);
        TransactionPass pass = test.Gate.TryPass();
        for (int i = 0; i < 3; i++)
        {
            test.Gate.TryPass().IsAcquired.ShouldBeFalse();
            test.Gate.GetSnapshot().Held.ShouldBe(1);
        }

        pass.Dispose();
        using TransactionPass next = test.Gate.TryPass();
        next.IsAcquired.ShouldBeTrue();
    }
}
