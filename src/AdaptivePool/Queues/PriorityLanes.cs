using System.Collections.Concurrent;
using System.Diagnostics.CodeAnalysis;

namespace AdaptivePool.Queues;

/// <summary>
/// Root work of one class: a FIFO queue per priority, higher ones first. One dequeue in sixteen looks at the lowest lane first, so that low work cannot starve. The high and low lanes
/// are created when they are first used: most classes never need them.
/// </summary>
internal sealed class PriorityLanes
{
    private const int LowFirstEvery = 16;
    private readonly ConcurrentQueue<object> _normal = new();
    private ConcurrentQueue<object>? _high;
    private ConcurrentQueue<object>? _low;
    private int _turn;

    /// <summary>Whether nothing waits; a hint when others enqueue.</summary>
    public bool IsEmpty => _normal.IsEmpty && _high is not { IsEmpty: false } && _low is not { IsEmpty: false };

    /// <summary>Items waiting; a hint when others enqueue.</summary>
    public int Count => _normal.Count + (_high?.Count ?? 0) + (_low?.Count ?? 0);

    public void Enqueue(object item, WorkPriority priority = WorkPriority.Normal)
    {
        ConcurrentQueue<object> lane = priority switch
        {
            WorkPriority.High => Lane(ref _high),
            WorkPriority.Low => Lane(ref _low),
            _ => _normal,
        };
        lane.Enqueue(item);
    }

    public bool TryDequeue([MaybeNullWhen(false)] out object item)
    {
        ConcurrentQueue<object>? low = _low;

        // The turn is only a fairness counter: racing increments lose a turn, not an item.
        if (low is not null && (++_turn & (LowFirstEvery - 1)) == 0 && low.TryDequeue(out item))
        {
            return true;
        }

        ConcurrentQueue<object>? high = _high;
        if (high is not null && high.TryDequeue(out item))
        {
            return true;
        }

        if (_normal.TryDequeue(out item))
        {
            return true;
        }

        if (low is not null)
        {
            return low.TryDequeue(out item);
        }

        item = null;
        return false;
    }

    /// <summary>The items waiting at this moment, for the debugger.</summary>
    public IEnumerable<object> Items => (_high ?? []).Concat(_normal).Concat(_low ?? []);

    private static ConcurrentQueue<object> Lane(ref ConcurrentQueue<object>? lane)
    {
        if (lane is null)
        {
            // Whoever loses the race uses the winner's lane, so no item is put into a lane that nobody reads.
            Interlocked.CompareExchange(ref lane, new ConcurrentQueue<object>(), null);
        }

        return lane;
    }
}
