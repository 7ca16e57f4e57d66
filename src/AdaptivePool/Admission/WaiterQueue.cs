namespace AdaptivePool.Admission;

/// <summary>
/// The waiters of one group: a lane for each priority, in the order of arrival. Any waiter can leave at any time. Used under the gate's lock.
/// </summary>
/// <typeparam name="TSync">The machine or its model.</typeparam>
internal sealed class WaiterQueue<TSync>
    where TSync : struct, ISync
{
    private const int Lanes = (int)TransactionPriority.High + 1;
    private readonly LinkedList<GateWaiter<TSync>>[] _lanes = [.. Enumerable.Range(0, Lanes).Select(static _ => new LinkedList<GateWaiter<TSync>>())];

    /// <summary>The waiter that has waited longest.</summary>
    public GateWaiter<TSync>? Oldest
    {
        get
        {
            GateWaiter<TSync>? oldest = null;
            foreach (LinkedList<GateWaiter<TSync>> lane in _lanes)
            {
                if (lane.First?.Value is { } waiter && (oldest is null || waiter.Since < oldest.Since))
                {
                    oldest = waiter;
                }
            }

            return oldest;
        }
    }

    public void Add(GateWaiter<TSync> waiter) => _lanes[(int)waiter.Request.Priority].AddLast(waiter.Place);

    /// <summary>Takes a waiter out of its lane.</summary>
    public static void Remove(GateWaiter<TSync> waiter) => waiter.Place.List!.Remove(waiter.Place);

    /// <summary>
    /// Takes out the waiter that is next: one of the highest priority. A waiter that has waited for the kick-up time counts as high, and among those the
    /// oldest goes first (two lanes and a timer, as MariaDB's pool has them). There must be a waiter.
    /// </summary>
    /// <param name="now">The time.</param>
    /// <param name="kickUpAfter">Wait after which a lower priority counts as high.</param>
    /// <param name="newestFirst">Whether the newest waiter of a lane goes first. Kicked-up waiters have waited too long for that: among them, the oldest goes
    /// first.</param>
    /// <param name="kickedUp">Whether the waiter was kicked up.</param>
    public GateWaiter<TSync> Take(TimeSpan now, TimeSpan kickUpAfter, bool newestFirst, out bool kickedUp)
    {
        LinkedList<GateWaiter<TSync>> highest = Array.FindLast(_lanes, static lane => lane.Count > 0)!;
        LinkedListNode<GateWaiter<TSync>> chosen = highest.First!;
        foreach (LinkedList<GateWaiter<TSync>> lane in _lanes)
        {
            // A waiter of a lower priority goes first only if it was kicked up and came before the oldest waiter of the highest priority. Of several such
            // waiters, the oldest goes first.
            if (lane.First is { } oldest && now - oldest.Value.Since >= kickUpAfter && oldest.Value.Since < chosen.Value.Since)
            {
                chosen = oldest;
            }
        }

        kickedUp = chosen.List != highest;
        return Take(newestFirst && !kickedUp ? highest.Last! : chosen);
    }

    /// <summary>
    /// Takes out the oldest waiter of the lowest priority, to make room for a newcomer of at least the same priority; <see langword="null"/> when all waiters
    /// have a higher priority.
    /// </summary>
    public GateWaiter<TSync>? TakeLeast(TransactionPriority newcomer)
    {
        LinkedListNode<GateWaiter<TSync>> oldest = Array.Find(_lanes, static lane => lane.Count > 0)!.First!;
        return oldest.Value.Request.Priority > newcomer ? null : Take(oldest);
    }

    /// <summary>Takes out the newest waiter of the lowest priority, to make room for another group. There must be a waiter.</summary>
    public GateWaiter<TSync> TakeNewestOfLeast() => Take(Array.Find(_lanes, static lane => lane.Count > 0)!.Last!);

    /// <summary>Takes out a waiter that has waited for the limit or longer; <see langword="null"/> when there is none.</summary>
    public GateWaiter<TSync>? TakeOverdue(TimeSpan now, TimeSpan limit)
    {
        foreach (LinkedList<GateWaiter<TSync>> lane in _lanes)
        {
            if (lane.First is { } oldest && now - oldest.Value.Since >= limit)
            {
                return Take(oldest);
            }
        }

        return null;
    }

    private static GateWaiter<TSync> Take(LinkedListNode<GateWaiter<TSync>> place)
    {
        Remove(place.Value);
        return place.Value;
    }
}
