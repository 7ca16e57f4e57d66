using AdaptivePool.Internal;

namespace AdaptivePool.Admission;

/// <summary>Those of one group that wait: a lane for each priority. Used under the gate's lock.</summary>
/// <typeparam name="TSync">The machine or its model.</typeparam>
internal sealed class WaiterQueue<TSync>
    where TSync : struct, ISync
{
    private const int Lanes = (int)TransactionPriority.High + 1;
    private readonly WaiterLane<TSync>[] _lanes = [.. Enumerable.Range(0, Lanes).Select(static _ => new WaiterLane<TSync>())];

    public int Count { get; private set; }

    /// <summary>The one that has waited longest.</summary>
    public GateWaiter<TSync>? Oldest
    {
        get
        {
            GateWaiter<TSync>? oldest = null;
            foreach (WaiterLane<TSync> lane in _lanes)
            {
                if (lane.Oldest is { } waiter && (oldest is null || waiter.Since < oldest.Since))
                {
                    oldest = waiter;
                }
            }

            return oldest;
        }
    }

    public void Add(GateWaiter<TSync> waiter)
    {
        _lanes[(int)waiter.Request.Priority].Add(waiter);
        Count++;
    }

    /// <summary>Takes a waiter out; false when something was decided about it already.</summary>
    public bool Remove(GateWaiter<TSync> waiter)
    {
        if (waiter.Lane is not { } lane)
        {
            return false;
        }

        lane.Remove(waiter);
        Count--;
        return true;
    }

    /// <summary>Takes out the one whose turn it is. There must be one.</summary>
    public GateWaiter<TSync> Take(TimeSpan now, TimeSpan kickUpAfter, bool newestFirst, out bool kickedUp)
    {
        // Mostly all have the same priority, and there is nothing to choose.
        if (_lanes[(int)TransactionPriority.Normal] is { } normal && normal.Count == Count)
        {
            kickedUp = false;
            GateWaiter<TSync> next = newestFirst ? normal.Newest! : normal.Oldest!;
            Remove(next);
            return next;
        }

        Span<TimeSpan?> waits = stackalloc TimeSpan?[Lanes];
        for (int i = 0; i < Lanes; i++)
        {
            waits[i] = now - _lanes[i].Oldest?.Since;
        }

        (int lane, bool newest, kickedUp) = QueueOrderRule.Choose(waits, kickUpAfter, newestFirst);
        GateWaiter<TSync> taken = newest ? _lanes[lane].Newest! : _lanes[lane].Oldest!;
        Remove(taken);
        return taken;
    }

    /// <summary>
    /// Takes out the oldest of the lowest priority, to make room for one of at least the same; <see langword="null"/> when all that wait are above it.
    /// </summary>
    public GateWaiter<TSync>? TakeLeast(TransactionPriority newcomer)
    {
        WaiterLane<TSync> lowest = _lanes.First(static lane => lane.Count > 0);
        if (lowest.Oldest!.Request.Priority > newcomer)
        {
            return null;
        }

        GateWaiter<TSync> taken = lowest.Oldest;
        Remove(taken);
        return taken;
    }

    /// <summary>Takes out the newest of the lowest priority, to make room for another group; <see langword="null"/> when nobody waits.</summary>
    public GateWaiter<TSync>? TakeNewestOfLeast()
    {
        foreach (WaiterLane<TSync> lane in _lanes)
        {
            if (lane.Newest is { } newest)
            {
                Remove(newest);
                return newest;
            }
        }

        return null;
    }

    /// <summary>Takes out one that has waited for the limit or longer; <see langword="null"/> when there is none.</summary>
    public GateWaiter<TSync>? TakeOverdue(TimeSpan now, TimeSpan limit)
    {
        foreach (WaiterLane<TSync> lane in _lanes)
        {
            if (lane.Oldest is { } oldest && now - oldest.Since >= limit)
            {
                Remove(oldest);
                return oldest;
            }
        }

        return null;
    }
}
