using System.Runtime.CompilerServices;
using AdaptivePool.Internal;

namespace AdaptivePool.Queues;

/// <summary>
/// Chase-Lev deque: the owner pushes and pops at the bottom (LIFO), any thread steals at the top (FIFO). A LIFO order is what keeps a fork-join tree depth first; a FIFO ring
/// alone loses it by 1.5 to 2.7 times.
/// </summary>
/// <remarks>
/// Protocol. Items live in [top, bottom). Only the owner writes bottom and the array; top only grows, by a compare-exchange of whoever takes the item there.
/// The last item is contested: the owner takes it with the same compare-exchange as a thief.
/// A thief may not null the slot it took (the owner may have written a new item there), so a taken reference stays until the slot is written again or <see cref="Trim"/> runs.
/// </remarks>
internal sealed class WorkStealingQueue
{
    private const int InitialCapacity = 64;
    private PaddedLong _top;
    private PaddedLong _bottom;
    private object?[] _items = new object?[InitialCapacity];

    /// <summary>Whether nothing is here; from a thread other than the owner's, a hint.</summary>
    public bool IsEmpty => Volatile.Read(ref _bottom.Value) <= Volatile.Read(ref _top.Value);

    /// <summary>Items here; from a thread other than the owner's, a hint.</summary>
    public int Count => (int)Math.Max(0, Volatile.Read(ref _bottom.Value) - Volatile.Read(ref _top.Value));

    /// <summary>Adds an item. Owner only.</summary>
    public void Push(object item)
    {
        long bottom = _bottom.Value;
        object?[] items = _items;
        if (bottom - Volatile.Read(ref _top.Value) >= items.Length)
        {
            items = Grow(items, bottom);
        }

        items[bottom & (items.Length - 1)] = item;

        // Release: pairs with the thief's read of bottom; without it a thief could see the new bottom and an old slot.
        Volatile.Write(ref _bottom.Value, bottom + 1);
    }

    /// <summary>Takes the newest item. Owner only.</summary>
    public object? TryPop()
    {
        long bottom = _bottom.Value - 1;
        if (Volatile.Read(ref _top.Value) > bottom)
        {
            return null;
        }

        // Full fence between the store of bottom and the load of top: pairs with the compare-exchange in TrySteal. Without it owner and thief can both take the last item.
        Interlocked.Exchange(ref _bottom.Value, bottom);
        long top = Volatile.Read(ref _top.Value);
        object?[] items = _items;
        if (top < bottom)
        {
            ref object? slot = ref items[bottom & (items.Length - 1)];
            object? item = slot;
            slot = null;
            return item;
        }

        object? last = null;
        if (top == bottom)
        {
            object? candidate = items[bottom & (items.Length - 1)];

            // Pairs with the compare-exchange in TrySteal: exactly one of owner and thief moves top past the last item.
            if (Interlocked.CompareExchange(ref _top.Value, top + 1, top) == top)
            {
                last = candidate;
            }
        }

        Volatile.Write(ref _bottom.Value, bottom + 1);
        return last;
    }

    /// <summary>Takes the newest item if it is the given one. Owner only.</summary>
    public bool TryPop(object wanted)
    {
        long bottom = _bottom.Value - 1;
        object?[] items = _items;
        return bottom >= Volatile.Read(ref _top.Value) && ReferenceEquals(items[bottom & (items.Length - 1)], wanted) && TryPop() is not null;
    }

    /// <summary>Takes the oldest item. Any thread.</summary>
    /// <param name="retry">Whether another thread won the item that was aimed at, so that looking again may pay.</param>
    public object? TrySteal(out bool retry)
    {
        retry = false;
        long top = Volatile.Read(ref _top.Value);

        // Full fence: top is read before bottom, pairs with the exchange in TryPop. Without it a stale bottom can make a taken item look free.
        Interlocked.MemoryBarrier();
        if (top >= Volatile.Read(ref _bottom.Value))
        {
            return null;
        }

        // The array is read after bottom: a grown array is published before the bottom that needs it.
        object?[] items = Volatile.Read(ref _items);
        object? item = items[top & (items.Length - 1)];

        // Pairs with the compare-exchanges of TryPop and of other thieves; losing means the item has been taken.
        if (Interlocked.CompareExchange(ref _top.Value, top + 1, top) != top)
        {
            retry = true;
            return null;
        }

        return item;
    }

    /// <summary>Takes the oldest item, trying again while other threads win. Any thread.</summary>
    public object? TrySteal()
    {
        while (true)
        {
            object? item = TrySteal(out bool retry);
            if (!retry)
            {
                return item;
            }
        }
    }

    /// <summary>Drops references of items that thieves took. Owner only; does nothing unless empty. Safe against thieves: their compare-exchange on a top they read earlier fails.</summary>
    public void Trim()
    {
        if (!IsEmpty)
        {
            return;
        }

        if (_items.Length > InitialCapacity)
        {
            Volatile.Write(ref _items, new object?[InitialCapacity]);
        }
        else
        {
            Array.Clear(_items);
        }
    }

    /// <summary>What waits at this moment, oldest first, for the debugger. Any thread; items that are taken meanwhile may be missed or seen.</summary>
    public IEnumerable<object> Items
    {
        get
        {
            object?[] items = Volatile.Read(ref _items);
            long bottom = Volatile.Read(ref _bottom.Value);
            for (long i = Volatile.Read(ref _top.Value); i < bottom; i++)
            {
                if (items[i & (items.Length - 1)] is { } item)
                {
                    yield return item;
                }
            }
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private object?[] Grow(object?[] old, long bottom)
    {
        var grown = new object?[old.Length * 2];
        for (long i = Volatile.Read(ref _top.Value); i < bottom; i++)
        {
            grown[i & (grown.Length - 1)] = old[i & (old.Length - 1)];
        }

        // Release: pairs with the thief's read of the array, which follows its read of bottom.
        Volatile.Write(ref _items, grown);
        return grown;
    }
}
