using AdaptivePool.Admission;
using AdaptivePool.Internal;

namespace AdaptivePool.Tests.Admission;

public sealed class WaiterQueueTests
{
    private static readonly TimeSpan s_now = TimeSpan.FromMinutes(1);
    private static readonly TimeSpan s_kickUp = TimeSpan.FromSeconds(1);
    private readonly WaiterQueue<RealSync> _queue = new();

    [Fact]
    public void Oldest_OfSeveralLanes_IsTheOneThatHasWaitedLongest()
    {
        _queue.Oldest.ShouldBeNull();
        GateWaiter<RealSync> high = Add(TransactionPriority.High, 3);
        GateWaiter<RealSync> low = Add(TransactionPriority.Low, 2);
        GateWaiter<RealSync> normal = Add(TransactionPriority.Normal, 1);
        foreach (GateWaiter<RealSync> expected in new[] { normal, low, high })
        {
            _queue.Oldest.ShouldBeSameAs(expected);
            WaiterQueue<RealSync>.Remove(expected);
        }

        _queue.Oldest.ShouldBeNull();
    }

    [Theory]
    [InlineData(500, 400, 1, TransactionPriority.High, false)]
    [InlineData(500, 400, -1, TransactionPriority.Normal, false)]
    [InlineData(500, -1, -1, TransactionPriority.Low, false)]
    [InlineData(1000, 400, 1, TransactionPriority.Low, true)]
    [InlineData(1500, 1600, 1, TransactionPriority.Normal, true)]
    [InlineData(1500, 1200, 1, TransactionPriority.Low, true)]
    [InlineData(1500, -1, 1600, TransactionPriority.High, false)]
    [InlineData(1500, 100, -1, TransactionPriority.Low, true)]
    public void Take_IsTheHighestUnlessALowerOneHasWaitedTooLong(int low, int normal, int high, TransactionPriority expected, bool isKickedUp)
    {
        AddAfter(TransactionPriority.Low, low);
        AddAfter(TransactionPriority.Normal, normal);
        AddAfter(TransactionPriority.High, high);

        GateWaiter<RealSync> taken = _queue.Take(s_now, s_kickUp, newestFirst: false, out bool kickedUp);
        taken.Request.Priority.ShouldBe(expected);
        kickedUp.ShouldBe(isKickedUp);
        taken.Place.List.ShouldBeNull();
    }

    [Fact]
    public void Take_NewestFirst_HoldsForTheHighestButNotForTheKickedUp()
    {
        GateWaiter<RealSync> oldest = AddAfter(TransactionPriority.Low, 5_000)!;
        GateWaiter<RealSync> older = AddAfter(TransactionPriority.Low, 4_000)!;
        GateWaiter<RealSync> newest = AddAfter(TransactionPriority.Low, 3_000)!;
        _queue.Take(s_now, s_kickUp, newestFirst: true, out bool kickedUp).ShouldBeSameAs(newest);
        kickedUp.ShouldBeFalse();

        GateWaiter<RealSync> high = AddAfter(TransactionPriority.High, 0)!;
        foreach (GateWaiter<RealSync> expected in new[] { oldest, older })
        {
            _queue.Take(s_now, s_kickUp, newestFirst: true, out kickedUp).ShouldBeSameAs(expected);
            kickedUp.ShouldBeTrue();
        }

        _queue.Take(s_now, s_kickUp, newestFirst: true, out kickedUp).ShouldBeSameAs(high);
        kickedUp.ShouldBeFalse();
    }

    private GateWaiter<RealSync>? AddAfter(TransactionPriority priority, int waited) =>
        waited < 0 ? null : Add(priority, s_now - TimeSpan.FromMilliseconds(waited));

    private GateWaiter<RealSync> Add(TransactionPriority priority, int since) => Add(priority, TimeSpan.FromSeconds(since));

    private GateWaiter<RealSync> Add(TransactionPriority priority, TimeSpan since)
    {
        var waiter = new GateWaiter<RealSync> { Request = new TransactionRequest { Priority = priority }, Since = since };
        _queue.Add(waiter);
        return waiter;
    }
}
