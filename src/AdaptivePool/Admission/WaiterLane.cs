using AdaptivePool.Internal;

namespace AdaptivePool.Admission;

/// <summary>Waiters of one priority and group in the order in which they came; any can leave at any time. Used under the gate's lock.</summary>
/// <typeparam name="TSync">The machine or its model.</typeparam>
internal sealed class WaiterLane<TSync>
    where TSync : struct, ISync
{
    public GateWaiter<TSync>? Oldest { get; private set; }

    public GateWaiter<TSync>? Newest { get; private set; }

    public int Count { get; private set; }

    public void Add(GateWaiter<TSync> waiter)
    {
        waiter.Lane = this;
        waiter.Older = Newest;
        if (Newest is { } newest)
        {
            newest.Newer = waiter;
        }
        else
        {
            Oldest = waiter;
        }

        Newest = waiter;
        Count++;
    }

    public void Remove(GateWaiter<TSync> waiter)
    {
        if (waiter.Older is { } older)
        {
            older.Newer = waiter.Newer;
        }
        else
        {
            Oldest = waiter.Newer;
        }

        if (waiter.Newer is { } newer)
        {
            newer.Older = waiter.Older;
        }
        else
        {
            Newest = waiter.Older;
        }

        waiter.Lane = null;
        waiter.Older = null;
        waiter.Newer = null;
        Count--;
    }
}
