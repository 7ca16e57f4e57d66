using System.Collections.Concurrent;
using System.Diagnostics.CodeAnalysis;
using AdaptivePool.Internal;

namespace AdaptivePool.Queues;

/// <summary>
/// Root work of one class: a FIFO queue per priority, higher ones first. One dequeue in sixteen looks at the lowest lane first, so that low work cannot starve. The high and low lanes
/// are created when they are first used: most classes never need them.
/// </summary>
/// <typeparam name="TSync">The machine or its model.</typeparam>
internal sealed class PriorityLanes<TSync>
    where TSync : struct, ISync
{
    private const int LowFirstEvery = 16;
    private readonly ConcurrentQueue<object> _normal = new();
    private ConcurrentQueue<object>? _high;
    private ConcurrentQueue<object>? _low;
    private int _turn;

    /// <summary>Whether nothing waits; a hint when others enqueue.</summary>
    public bool IsEmpty => TSync.IsEmpty(_normal) && IsNullOrEmpty(ref _high) && IsNullOrEmpty(ref _low);

    /// <summary>Items waiting; a hint when others enqueue.</summary>
    public int Count => TSync.Count(_normal) + CountOf(ref _high) + CountOf(ref _low);

    public void Enqueue(object item, WorkPriority priority = WorkPriority.Normal)
    {
        ConcurrentQueue<object> lane = priority switch
        {
            WorkPriority.High => Lane(ref _high),
            WorkPriority.Low => Lane(ref _low),
            _ => _normal,
        };
        TSync.Enqueue(lane, item);
    }

    public bool TryDequeue([MaybeNullWhen(false)] out object item)
    {
        // Plain: what is read through a reference comes after the reference, and a lane that is not seen yet is one that nobody has told us of.
        ConcurrentQueue<object>? low = TSync.Read(ref _low);

        // The turn is only a fairness counter: racing increments lose a turn, not an item.
        if (low is not null && (++_turn & (LowFirstEvery - 1)) == 0 && TSync.TryDequeue(low, out item))
        {
            return true;
        }

        ConcurrentQueue<object>? high = TSync.Read(ref _high);
        if (high is not null && TSync.TryDequeue(high, out item))
        {
            return true;
        }

        if (TSync.TryDequeue(_normal, out item))
        {
            return true;
        }

        if (low is not null)
        {
            return TSync.TryDequeue(low, out item);
        }

        item = null;
        return false;
    }

    /// <summary>The items waiting at this moment, for the debugger.</summary>
    public IEnumerable<object> Items => (_high ?? []).Concat(_normal).Concat(_low ?? []);

    private static ConcurrentQueue<object> Lane(ref ConcurrentQueue<object>? lane)
    {
        if (TSync.Read(ref lane) is { } present)
        {
            return present;
        }

        // Whoever loses the race uses the winner's lane, so no item is put into a lane that nobody reads. Orders nothing: the runtime publishes a new object's content with its reference.
        var added = new ConcurrentQueue<object>();
        return TSync.RelaxedCompareExchange(ref lane, added, null) ?? added;
    }

    private static bool IsNullOrEmpty(ref ConcurrentQueue<object>? lane) => TSync.Read(ref lane) is not { } present || TSync.IsEmpty(present);

    private static int CountOf(ref ConcurrentQueue<object>? lane) => TSync.Read(ref lane) is { } present ? TSync.Count(present) : 0;
}
