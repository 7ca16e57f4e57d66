using System.Threading.RateLimiting;
using AdaptivePool.Admission;

namespace AdaptivePool.Tests.Admission;

public sealed class TransactionGatePartitionTests
{
    // Found by asking the gate itself: which partitions fall into the same group is its own affair.
    private readonly Lazy<(string A, string B)> _partitions = new(FindTwoGroups);

    [Fact]
    public void PerGroup_WithoutBorrowing_IsBoundToItsShare()
    {
        (string a, string b) = _partitions.Value;
        using TestGate test = Divided(limit: 3, borrows: false);
        test.Enter(Of(a));
        test.Enter(Of(a));
        Task<RateLimitLease> third = test.Wait(partition: a);

        // The other group has a share of two as well, but the limit is three.
        TransactionLease other = test.Enter(Of(b));
        test.Gate.AttemptAcquire(Of(b)).Reason().ShouldBe(RefusalReason.GateFull);
        other.Dispose();
        third.IsCompleted.ShouldBeFalse();
        test.Gate.PermitLimit = 5;
        third.Granted();
    }

    [Fact]
    public void BusyWhileWaiting_MostPermitsForAYear_IsStillCounted()
    {
        // So many permits for so long are more time than one TimeSpan holds.
        using var test = new TestGate(TransactionGateOptions.Most, static o =>
            (o.GroupCount, o.BorrowsBetweenGroups) = (TransactionGateOptions.MostGroups, false));
        for (int i = 0; i <= TransactionGateOptions.Most / TransactionGateOptions.MostGroups; i++)
        {
            test.Enter(Of("busy"));
        }

        Task<RateLimitLease> wait = test.Wait(partition: "busy");
        test.Clock.Advance(TimeSpan.FromDays(365));
        test.Gate.GetSnapshot().BusyWhileWaiting.ShouldBe(1);
        test.Gate.PermitLimit = 0;
        wait.Granted();
    }

    [Fact]
    public void PerGroup_WithBorrowing_LeavesNoPermitIdle()
    {
        (string a, _) = _partitions.Value;
        using TestGate test = Divided(limit: 4, borrows: true);
        for (int i = 0; i < 4; i++)
        {
            test.Enter(Of(a));
        }

        test.Gate.AttemptAcquire(Of(a)).Reason().ShouldBe(RefusalReason.GateFull);
    }

    [Fact]
    public void PerGroup_WithBorrowing_GivesFreePermitsToTheGroupBelowItsShare()
    {
        (string a, string b) = _partitions.Value;
        using TestGate test = Divided(limit: 4, borrows: true);
        TransactionLease[] borrowed = [.. Enumerable.Range(0, 4).Select(_ => test.Enter(Of(a)))];
        Task<RateLimitLease>[] more = [.. Enumerable.Range(0, 4).Select(_ => test.Wait(partition: a))];
        Task<RateLimitLease>[] late = [test.Wait(partition: b), test.Wait(partition: b)];

        borrowed[0].Dispose();
        borrowed[1].Dispose();

        late.ShouldAllBe(static wait => wait.IsCompleted);
        more.ShouldAllBe(static wait => !wait.IsCompleted);
    }

    [Fact]
    public void PerGroup_WithoutPartition_TakesTurns()
    {
        using TestGate test = Divided(limit: 4, borrows: false);
        for (int i = 0; i < 4; i++)
        {
            test.Enter();
        }

        test.Gate.AttemptAcquire().Reason().ShouldBe(RefusalReason.GateFull);
    }

    /// <summary>The turn of those without a partition was set back with each caller of another partition that had waited: they all came to one group.</summary>
    [Fact]
    public void PerGroup_WithoutPartitionBesideOneWithAWeight_TakesTurns()
    {
        using var test = new TestGate(3, static o =>
        {
            (o.GroupCount, o.BorrowsBetweenGroups) = (2, false);
            o.GroupWeights["north"] = 1;
        });
        TransactionLease north = test.Enter(Of("north"));
        for (int i = 0; i < 2; i++)
        {
            Task<RateLimitLease> next = test.Wait(partition: "north");
            north.Dispose();
            north = next.Granted();
            test.Enter();
        }
    }

    [Fact]
    public void PerGroup_NoLimit_LetsEverybodyIn()
    {
        using TestGate test = Divided(limit: 0, borrows: false);
        List<TransactionLease> leases = [.. Enumerable.Range(0, 50).Select(_ => test.Enter(Of("a")))];
        leases.ForEach(static lease => lease.Dispose());
        test.Gate.GetSnapshot().Held.ShouldBe(0);
    }

    [Fact]
    public void PerGroup_QueueFullOfAnotherGroup_TheNewestOfItsLowestPriorityGivesUpItsPlace()
    {
        (string a, string b) = _partitions.Value;
        using TestGate test = Divided(limit: 1, borrows: true, queueLimit: 4);
        test.Enter(Of(a));
        Task<RateLimitLease>[] flood =
            [test.Wait(partition: a), test.Wait(TransactionPriority.Low, a), test.Wait(TransactionPriority.Low, a), test.Wait(partition: a)];

        Task<RateLimitLease> first = test.Wait(TransactionPriority.Low, b);
        flood[2].Refused().ShouldBe(RefusalReason.QueueFull);
        Task<RateLimitLease> second = test.Wait(TransactionPriority.Low, b);
        flood[1].Refused().ShouldBe(RefusalReason.QueueFull);

        // Its share is two.
        test.Ask(partition: b).Refused().ShouldBe(RefusalReason.QueueFull);
        test.Ask(partition: a).Refused().ShouldBe(RefusalReason.QueueFull);
        (first.IsCompleted || second.IsCompleted || flood[0].IsCompleted || flood[3].IsCompleted).ShouldBeFalse();
    }

    [Fact]
    public void PerGroup_WithBorrowing_NewcomerOfAnIdleGroupDoesNotOvertake()
    {
        (string a, string b) = _partitions.Value;
        using TestGate test = Divided(limit: 1, borrows: true);
        TransactionLease inside = test.Enter(Of(a));
        Task<RateLimitLease> wait = test.Wait(partition: a);
        RateLimitLease? newcomer = null;

        // The gate asks for the time when the permit comes back, and again before the one that waits has it.
        test.Clock.Asked = () => test.Clock.Asked = () => newcomer = test.Gate.AttemptAcquire(Of(b));
        inside.Dispose();

        newcomer!.Reason().ShouldBe(RefusalReason.GateFull);
        wait.Granted();
    }

    [Fact]
    public void PerGroup_WithWeights_EachTenantComesToItsShareAndNoPermitIsIdle()
    {
        using TestGate test = Weighted(borrows: true);
        Queue<TransactionLease> borrowed = new(Enumerable.Range(0, 8).Select(_ => test.Enter(Of("south"))));
        Task<RateLimitLease>[] south = [.. Enumerable.Range(0, 8).Select(_ => test.Wait(partition: "south"))];
        Task<RateLimitLease>[] north = [.. Enumerable.Range(0, 8).Select(_ => test.Wait(partition: "north"))];
        for (int i = 0; i < 8; i++)
        {
            borrowed.Dequeue().Dispose();
            test.Gate.GetSnapshot().Held.ShouldBe(8);
        }

        // Six parts of eight: nobody else asks, so the part of the common group is divided too.
        (north.Count(static wait => wait.IsCompleted), south.Count(static wait => wait.IsCompleted)).ShouldBe((6, 2));
    }

    [Fact]
    public void PerGroup_WithWeightsAndWithoutBorrowing_IsBoundToItsShare()
    {
        using TestGate test = Weighted(borrows: false);
        Enumerable.Range(0, 5).ToList().ForEach(_ => test.Enter(Of("north")));
        test.Gate.AttemptAcquire(Of("north")).Reason().ShouldBe(RefusalReason.GateFull);
        Enumerable.Range(0, 2).ToList().ForEach(_ => test.Enter(Of("south")));
        test.Gate.AttemptAcquire(Of("south")).Reason().ShouldBe(RefusalReason.GateFull);
        test.Enter(Of("somebody else"));
    }

    private static TestGate Weighted(bool borrows) => new(8, o =>
    {
        (o.GroupCount, o.BorrowsBetweenGroups, o.QueueLimit) = (1, borrows, 100);
        (o.GroupWeights["north"], o.GroupWeights["south"]) = (3, 1);
    });

    private static TestGate Divided(int limit, bool borrows, int queueLimit = 10) =>
        new(limit, o => (o.GroupCount, o.BorrowsBetweenGroups, o.QueueLimit) = (2, borrows, queueLimit));

    private static TransactionRequest Of(string partition) => new() { Partition = partition };

    private static (string A, string B) FindTwoGroups()
    {
        using TestGate test = Divided(limit: 2, borrows: false);
        test.Enter(Of("tenant"));
        string other = Enumerable.Range(0, 100).Select(static i => $"tenant-{i}").First(name =>
        {
            using RateLimitLease lease = test.Gate.AttemptAcquire(Of(name));
            return lease.IsAcquired;
        });
        return ("tenant", other);
    }
}
