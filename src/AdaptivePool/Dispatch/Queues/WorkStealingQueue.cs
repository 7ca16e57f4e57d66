using AdaptivePool.Dispatch.Items;

namespace AdaptivePool.Dispatch.Queues;

/// <summary>
/// Chase-Lev deque: the owner pushes and pops at the bottom (LIFO), any thread steals at the top (FIFO). A LIFO order is what keeps a fork-join tree depth
/// first; a FIFO order alone loses it by 1.5 to 2.7 times. Work that must not overtake is in a deque of its own, where the owner, too, takes the oldest item.
/// </summary>
/// <remarks>
/// Protocol. Items live in [top, bottom). Only the owner writes bottom and the array; top only grows, by a compare-exchange of the thread that takes the item
/// there.
/// The last item is contested: the owner takes it with the same compare-exchange as a thief.
/// A thief may not null the slot it took (the owner may have written a new item there), so a taken reference stays until the slot is written again or
/// <see cref="Trim"/> runs.
/// </remarks>
/// <typeparam name="TSync">The machine or its model.</typeparam>
/// <param name="initialCapacity">Slots at first; a power of two. Small ones are for the model checker.</param>
internal sealed class WorkStealingQueue<TSync>(int initialCapacity = WorkStealingQueue<TSync>.DefaultCapacity)
    where TSync : struct, ISync
{
    /// <summary>Slots at first, unless the caller sets another number; a power of two.</summary>
    public const int DefaultCapacity = 64;
    private readonly int _initialCapacity = initialCapacity;
    private PaddedLong _top;
    private PaddedLong _bottom;
    private Slot[] _slots = new Slot[initialCapacity];

    /// <summary>Whether nothing is here; from a thread other than the owner's, a hint.</summary>
    public bool IsEmpty
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => TSync.RelaxedRead(ref _bottom.Value) <= TSync.RelaxedRead(ref _top.Value);
    }

    /// <summary>Items here; from a thread other than the owner's, a hint.</summary>
    public int Count
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => (int)Math.Max(0, TSync.RelaxedRead(ref _bottom.Value) - TSync.RelaxedRead(ref _top.Value));
    }

    /// <summary>Number of the oldest item. It stays while that item is here; from a thread other than the owner's, a hint.</summary>
    public long Top => TSync.RelaxedRead(ref _top.Value);

    /// <summary>Adds an item. Owner only.</summary>
    [BypassReadyToRun]
    public void Push(object item)
    {
        long bottom = TSync.Read(ref _bottom.Value);
        Slot[] slots = TSync.Read(ref _slots);

        // Acquire: pairs with the compare-exchange in TrySteal; without it the new item could be written before the thief has read the old one from the same
        // slot.
        if (bottom - TSync.VolatileRead(ref _top.Value) >= slots.Length)
        {
            slots = Grow(slots, bottom);
        }

        TSync.Write(ref slots[(int)bottom & (slots.Length - 1)].Item, item);

        // Release: pairs with the thief's read of bottom; without it a thief could see the new bottom and an old slot.
        TSync.VolatileWrite(ref _bottom.Value, bottom + 1);
    }

    /// <summary>Takes the newest item. Owner only.</summary>
    [BypassReadyToRun]
    public object? TryPop()
    {
        long bottom = TSync.Read(ref _bottom.Value) - 1;

        // An old top only leads to another look below.
        long top = TSync.RelaxedRead(ref _top.Value);
        if (top > bottom)
        {
            return null;
        }

        Slot[] slots = TSync.Read(ref _slots);
        if (top == bottom)
        {
            return TryPopOldest(slots, top);
        }

        // Full fence between the store of bottom and the load of top: pairs with the fence in TrySteal. Without it owner and thief can both take the last item.
        // Release: pairs with the thief's read of bottom; without it a thief could see this bottom and an old slot.
        TSync.WriteAndFence(ref _bottom.Value, bottom);
        top = TSync.RelaxedRead(ref _top.Value);
        ref object? slot = ref slots[(int)bottom & (slots.Length - 1)].Item;
        if (top < bottom)
        {
            object? item = TSync.Read(ref slot);
            TSync.Write(ref slot, null);
            return item;
        }

        object? last = null;
        if (top == bottom)
        {
            object? candidate = TSync.Read(ref slot);

            // Pairs with the compare-exchange in TrySteal: exactly one of owner and thief moves top past the last item. Orders nothing: the slot is written by
            // the owner alone.
            if (TSync.RelaxedCompareExchange(ref _top.Value, top + 1, top) == top)
            {
                last = candidate;
            }
        }

        // Needs no order: a thread that sees this bottom and an older top loses the compare-exchange.
        TSync.RelaxedWrite(ref _bottom.Value, bottom + 1);
        return last;
    }

    /// <summary>Takes the oldest item, for work that must not overtake. Owner only.</summary>
    [BypassReadyToRun]
    public object? TryPopOldest()
    {
        long bottom = TSync.Read(ref _bottom.Value);
        Slot[] slots = TSync.Read(ref _slots);
        long top;

        // An old top only leads to another look.
        while ((top = TSync.RelaxedRead(ref _top.Value)) < bottom)
        {
            if (TryPopOldest(slots, top) is { } item)
            {
                return item;
            }
        }

        return null;
    }

    /// <summary>Takes the oldest item as a thief would, from the top: bottom stays, and the only item takes one atomic step instead of two.</summary>
    [BypassReadyToRun]
    private object? TryPopOldest(Slot[] slots, long top)
    {
        ref object? slot = ref slots[(int)top & (slots.Length - 1)].Item;
        object? item = TSync.Read(ref slot);

        // Pairs with the compare-exchange in TrySteal: exactly one of owner and thief moves top past the last item. A full fence: pairs with LieDown and with
        // ReadySet.Clear, as the one in TryPop does. Without it those threads miss items that were pushed before, and the owner, which looks next, misses
        // those threads.
        if (TSync.CompareExchange(ref _top.Value, top + 1, top) != top)
        {
            return null;
        }

        TSync.Write(ref slot, null);
        return item;
    }

    /// <summary>Removes the item that stands for the given task, wherever it is, so that the deque does not keep it. Owner only.</summary>
    /// <returns>Whether this call took it. In the middle a thief may have it nevertheless, so there the answer is no.</returns>
    public bool TryRemove(object wanted)
    {
        long bottom = TSync.Read(ref _bottom.Value) - 1;
        Slot[] slots = TSync.Read(ref _slots);

        // An old top only leads to a look at what thieves have taken.
        long top = TSync.RelaxedRead(ref _top.Value);
        if (bottom >= top && ScheduledTask.IsFor(TSync.Read(ref slots[(int)top & (slots.Length - 1)].Item), wanted))
        {
            return TryPopOldest(slots, top) is not null;
        }

        for (long i = bottom; i > top; i--)
        {
            ref object? slot = ref slots[(int)i & (slots.Length - 1)].Item;
            if (!ScheduledTask.IsFor(TSync.Read(ref slot), wanted))
            {
                continue;
            }

            if (i == bottom)
            {
                return TryPop() is not null;
            }

            // Only the owner writes slots. A thief that has read the slot before runs the task instead, which does nothing since that runs inline now.
            TSync.Write(ref slot, RemovedItem.Instance);
            return false;
        }

        return false;
    }

    /// <summary>Takes the oldest item. Tries again while other threads win the item that it aimed at. Any thread.</summary>
    [BypassReadyToRun]
    public object? TrySteal()
    {
        while (true)
        {
            long top = TSync.RelaxedRead(ref _top.Value);

            // Full fence: top is read before bottom, pairs with the fence in TryPop. Without it a stale bottom can make a taken item look free.
            TSync.Fence();

            // Acquire: pairs with the release in Push.
            if (top >= TSync.VolatileRead(ref _bottom.Value))
            {
                return null;
            }

            // Acquire: pairs with the release in Grow. The array is read after bottom: a grown array is published before the bottom that needs it.
            Slot[] slots = TSync.VolatileRead(ref _slots);
            object? item = TSync.Read(ref slots[(int)top & (slots.Length - 1)].Item);

            // Pairs with the compare-exchanges of TryPop and of other thieves; losing means the item has been taken. Releases the slot: pairs with the acquire
            // of top in Push; without it the owner could write a new item there before the old one has been read.
            if (TSync.OrderedCompareExchange(ref _top.Value, top + 1, top) == top)
            {
                return item;
            }
        }
    }

    /// <summary>
    /// Drops references of items that thieves took. Owner only; does nothing unless the deque is empty. Safe against thieves: their compare-exchange on a top
    /// they read earlier fails.
    /// </summary>
    public void Trim()
    {
        if (!IsEmpty)
        {
            return;
        }

        Slot[] slots = TSync.Read(ref _slots);
        if (slots.Length > _initialCapacity)
        {
            // Needs no order: a thief that sees the new, empty array loses its compare-exchange, and the runtime publishes a new object's content with its
            // reference.
            TSync.Write(ref _slots, new Slot[_initialCapacity]);
            return;
        }

        foreach (ref Slot slot in slots.AsSpan())
        {
            TSync.Write(ref slot.Item, null);
        }
    }

    /// <summary>
    /// The items that wait at this moment, oldest first, for the debugger. Any thread. Items that are taken meanwhile may or may not be seen.
    /// </summary>
    public IEnumerable<object> Items
    {
        get
        {
            Slot[] slots = TSync.VolatileRead(ref _slots);
            long bottom = TSync.RelaxedRead(ref _bottom.Value);
            for (long i = TSync.RelaxedRead(ref _top.Value); i < bottom; i++)
            {
                if (TSync.Read(ref slots[i & (slots.Length - 1)].Item) is { } item)
                {
                    yield return item;
                }
            }
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private Slot[] Grow(Slot[] old, long bottom)
    {
        var grown = new Slot[old.Length * 2];
        for (long i = TSync.RelaxedRead(ref _top.Value); i < bottom; i++)
        {
            TSync.Write(ref grown[i & (grown.Length - 1)].Item, TSync.Read(ref old[i & (old.Length - 1)].Item));
        }

        // Release: pairs with the thief's read of the array, which follows its read of bottom.
        TSync.VolatileWrite(ref _slots, grown);
        return grown;
    }

    /// <summary>A struct, because a reference to an element of an array of objects costs a check of its type.</summary>
    private struct Slot
    {
        public object? Item;
    }
}
