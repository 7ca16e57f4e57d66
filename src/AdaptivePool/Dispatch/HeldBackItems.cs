using System.Collections.Concurrent;
using System.Diagnostics.CodeAnalysis;

namespace AdaptivePool.Dispatch;

/// <summary>
/// The items of open transactions that wait with new work, in the order in which they came. They carry no time: an item that is here at a look of the sizing
/// thread has waited at least since then.
/// </summary>
/// <typeparam name="TSync">The machine or its model.</typeparam>
internal sealed class HeldBackItems<TSync>
    where TSync : struct, ISync
{
    private readonly ConcurrentQueue<object> _coming = new();
    private readonly Queue<HeldBackItem> _seen = new();
    private readonly PaddedCounter _count = new();
    private long _kickUps;

    /// <summary>Items so far.</summary>
    public long Count => _count.Value;

    /// <summary>How many of them waited too long.</summary>
    public long KickUps => TSync.RelaxedRead(ref _kickUps);

    /// <summary>Items that are remembered; a hint.</summary>
    public int Remembered => TSync.Count(_coming) + _seen.Count;

    /// <summary>Adds an item that was queued with new work. Any thread.</summary>
    public void Add(HeldBackItem item)
    {
        _count.Add(1);

        // The sizing thread sleeps while nothing waits for long, so items that have begun meanwhile are forgotten here. Each item that comes looks at two
        // others, so that one that waits does not keep the rest.
        for (int i = 0; i < 2 && TSync.TryDequeue(_coming, out object? before); i++)
        {
            if (before is HeldBackItem { Item: not null })
            {
                TSync.Enqueue(_coming, before);
            }
        }

        TSync.Enqueue(_coming, item);
    }

    /// <summary>Takes over the items that have come. Sizing only.</summary>
    /// <param name="now">Time in seconds.</param>
    public void Look(double now)
    {
        while (TSync.TryDequeue(_coming, out object? came))
        {
            if (came is HeldBackItem { Item: not null } item)
            {
                item.SeenAt = now;
                _seen.Enqueue(item);
            }
        }
    }

    /// <summary>Takes the next item that has waited too long. Sizing only.</summary>
    /// <param name="now">Time in seconds.</param>
    /// <param name="after">How long is too long; negative for never.</param>
    /// <param name="item">The item.</param>
    public bool TryTakeDue(double now, TimeSpan after, [MaybeNullWhen(false)] out object item)
    {
        item = null;
        while (_seen.TryPeek(out HeldBackItem? first)
            && (first.Item is null || (after >= TimeSpan.Zero && now - first.SeenAt >= after.TotalSeconds)))
        {
            _seen.Dequeue();
            if (first.Item is not null)
            {
                item = first;
                TSync.RelaxedWrite(ref _kickUps, _kickUps + 1);
                return true;
            }
        }

        return false;
    }
}
