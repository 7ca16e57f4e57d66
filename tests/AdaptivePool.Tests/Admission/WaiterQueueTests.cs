using AdaptivePool.Admission;
using AdaptivePool.Internal;

namespace AdaptivePool.Tests.Admission;

public sealed class WaiterQueueTests
{
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
            _queue.Remove(expected).ShouldBeTrue();
        }

        _queue.Oldest.ShouldBeNull();
    }

    [Fact]
    public void Remove_Twice_TakesItOutOnce()
    {
        GateWaiter<RealSync> first = Add(TransactionPriority.Normal, 1);
        Add(TransactionPriority.Normal, 2);
        _queue.Remove(first).ShouldBeTrue();
        _queue.Remove(first).ShouldBeFalse();
        _queue.Count.ShouldBe(1);
    }

    private GateWaiter<RealSync> Add(TransactionPriority priority, int since)
    {
        var waiter = new GateWaiter<RealSync> { Request = new TransactionRequest { Priority = priority }, Since = TimeSpan.FromSeconds(since) };
        _queue.Add(waiter);
        return waiter;
    }
}
