using System.Threading.RateLimiting;
using AdaptivePool.Admission;

namespace AdaptivePool.Tests.Admission;

public sealed class TransactionPassTests
{
    [Fact]
    public void AttemptPass_UpToTheLimit_CountsAsALease()
    {
        using var test = new TestGate(2);
        using TransactionPass pass = test.Gate.AttemptPass();
        test.Enter();
        pass.IsAcquired.ShouldBeTrue();
        using TransactionPass refused = test.Gate.AttemptPass();
        refused.IsAcquired.ShouldBeFalse();
        test.Gate.AttemptAcquire().Reason().ShouldBe(RefusalReason.GateFull);
    }

    [Fact]
    public void Dispose_TwiceThroughCopies_GivesOnePermitBack()
    {
        using var test = new TestGate(3);
        TransactionPass pass = test.Gate.AttemptPass();
        TransactionPass copy = pass;
        pass.Dispose();
        TransactionPass second = test.Gate.AttemptPass();
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
        TransactionPass a = test.Gate.AttemptPass();
        TransactionPass b = test.Gate.AttemptPass();
        a.Dispose();
        TransactionPass c = test.Gate.AttemptPass();
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
        TransactionPass pass = test.Gate.AttemptPass();
        Task<RateLimitLease> wait = test.Wait();
        using (TransactionPass late = test.Gate.AttemptPass())
        {
            late.IsAcquired.ShouldBeFalse();
        }

        pass.Dispose();
        wait.Granted();
    }

    [Fact]
    public void AttemptPass_DividedOrDisposedGate_GivesNone()
    {
        using var divided = new TestGate(4, static o => o.GroupCount = 16);
        divided.Gate.AttemptPass().IsAcquired.ShouldBeFalse();
        using var disposed = new TestGate(4);
        disposed.Gate.Dispose();
        disposed.Gate.AttemptPass().IsAcquired.ShouldBeFalse();
    }

    [Fact]
    public void Dispose_ManyOpenAndCopied_GivesEachBackOnce()
    {
        using var test = new TestGate(20);
        Nest(test.Gate, 9);
        test.Gate.GetSnapshot().Held.ShouldBe(0);

        static void Nest(TransactionGate gate, int depth)
        {
            TransactionPass pass = gate.AttemptPass();
            TransactionPass copy = pass;
            if (depth > 0)
            {
                Nest(gate, depth - 1);
            }

            int held = gate.GetSnapshot().Held;
            pass.Dispose();
            TransactionPass next = gate.AttemptPass();
            copy.Dispose();
            pass.Dispose();
            gate.GetSnapshot().Held.ShouldBe(held);
            next.Dispose();
            gate.GetSnapshot().Held.ShouldBe(held - 1);
        }
    }

    [Fact]
    public void AttemptPass_AfterARefusal_PassesAsSoonAsThereIsRoom()
    {
        using var test = new TestGate(1);
        TransactionPass pass = test.Gate.AttemptPass();
        for (int i = 0; i < 3; i++)
        {
            test.Gate.AttemptPass().IsAcquired.ShouldBeFalse();
            test.Gate.GetSnapshot().Held.ShouldBe(1);
        }

        pass.Dispose();
        using TransactionPass next = test.Gate.AttemptPass();
        next.IsAcquired.ShouldBeTrue();
    }
}
