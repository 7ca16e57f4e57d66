using System.Runtime.CompilerServices;
using AdaptivePool.Admission;

namespace AdaptivePool.Tests.Admission;

public sealed class TransactionLeaseTests
{
    [Fact]
    public void Name_AndId_AreThoseOfTheTransactionUntilItsEnd()
    {
        using var test = new TestGate(2);
        TransactionLease lease = test.Enter(new TransactionRequest { Name = "report" });
        lease.Name.ShouldBe("report");
        lease.Id.ShouldBe(test.Gate.GetLeases().Single().Id);
        lease.Dispose();
        lease.Name.ShouldBeNull();
    }

    [Fact]
    public void HasFailed_IsWhatWasSaidLast_AndFalseAfterTheEnd()
    {
        using var test = new TestGate(2);
        TransactionLease lease = test.Enter();
        using TransactionLease other = test.Enter();
        lease.HasFailed.ShouldBeFalse();
        lease.HasFailed = true;
        lease.HasFailed.ShouldBeTrue();
        other.HasFailed.ShouldBeFalse();
        lease.HasFailed = false;
        lease.HasFailed.ShouldBeFalse();
        lease.HasFailed = true;
        lease.Dispose();
        lease.HasFailed.ShouldBeFalse();

        using TransactionLease next = test.Enter();
        next.HasFailed.ShouldBeFalse("who comes next in the same place has not failed");
    }

    [Fact]
    public void Metadata_OfALease_IsNone()
    {
        using var test = new TestGate(1);
        using TransactionLease lease = test.Enter();
        lease.MetadataNames.ShouldBeEmpty();
        lease.TryGetMetadata("reason", out object? metadata).ShouldBeFalse();
        metadata.ShouldBeNull();
    }

    /// <summary>A token may be cancelled between the caller's look at it and the gate's lock.</summary>
    [Fact]
    public void Wait_CancelledBeforeItHasAPlace_IsCountedAndWaitsForNothing()
    {
        using var test = new TestGate(1);
        using TransactionLease first = test.Enter();
        var answer = new LeaseAnswer(new TransactionLease());

        test.Gate.Core.EnterOrWait(default, answer, new CancellationToken(canceled: true)).ShouldBeFalse();

        answer.Outcome.ShouldBeNull();
        GateSnapshot snapshot = test.Gate.GetSnapshot();
        (snapshot.Cancelled, snapshot.Queued).ShouldBe((1, 0));
    }

    [Fact]
    public void CancellationToken_OfALeaseThatHasEnded_KeepsNothingOfItsUser()
    {
        using var test = new TestGate(2);
        WeakReference state = Use(test);
        Eventually.Go(state, "nobody else comes to the place of the lease");

        [MethodImpl(MethodImplOptions.NoInlining)]
        static WeakReference Use(TestGate test)
        {
            var state = new object();
            using TransactionLease lease = test.Enter();
            lease.CancellationToken.Register(static _ => { }, state);
            return new WeakReference(state);
        }
    }
}
