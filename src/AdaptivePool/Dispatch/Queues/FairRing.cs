using System.Runtime.CompilerServices;
using AdaptivePool.Internal;

namespace AdaptivePool.Dispatch.Queues;

/// <summary>
/// Bounded FIFO ring with one producer (the owner) and any number of takers, for work that must not overtake: continuations, Yield, PreferFairness from a
/// worker.
/// </summary>
/// <remarks>
/// Each slot carries a sequence number (Vyukov's bounded queue): s = position when free for the push at that position, position + 1 when filled. A taker moves
/// the head by compare-exchange, reads, nulls and frees the slot, so no reference outlives its item.
/// </remarks>
/// <typeparam name="TSync">The machine or its model.</typeparam>
internal sealed class FairRing<TSync>
    where TSync : struct, ISync
{
    /// <summary>Slots; a power of two. 256 as in Go and Tokio: a fuller ring spills to the global queue.</summary>
    public const int DefaultCapacity = 256;

    private readonly Slot[] _slots;
    private PaddedLong _head;
    private PaddedLong _tail;

    /// <summary>Creates an empty ring.</summary>
    /// <param name="capacity">Slots; a power of two. Small ones are for the model checker.</param>
    public FairRing(int capacity = DefaultCapacity)
    {
        _slots = new Slot[capacity];
        for (int i = 0; i < capacity; i++)
        {
            _slots[i].Sequence = i;
        }
    }

    /// <summary>Whether nothing is here; from a thread other than the owner's, a hint.</summary>
    public bool IsEmpty => TSync.RelaxedRead(ref _tail.Value) <= TSync.RelaxedRead(ref _head.Value);

    /// <summary>Items here; a hint.</summary>
    public int Count
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => (int)Math.Max(0, TSync.RelaxedRead(ref _tail.Value) - TSync.RelaxedRead(ref _head.Value));
    }

    /// <summary>Adds an item. Owner only.</summary>
    /// <returns><see langword="false"/> when the ring is full.</returns>
    [BypassReadyToRun]
    public bool TryPush(object item)
    {
        long tail = TSync.Read(ref _tail.Value);
        Slot[] slots = _slots;
        ref Slot slot = ref slots[(int)tail & (slots.Length - 1)];

        // Acquire: pairs with the release at the end of TryTake; without it the taker's null could wipe out the new item.
        if (TSync.VolatileRead(ref slot.Sequence) != tail)
        {
            return false;
        }

        TSync.Write(ref slot.Item, item);

        // Release: pairs with the acquire in TryTake; without it a taker could see a filled slot without its item.
        TSync.VolatileWrite(ref slot.Sequence, tail + 1);

        // For the owner and for hints.
        TSync.RelaxedWrite(ref _tail.Value, tail + 1);
        return true;
    }

    /// <summary>Takes the oldest item. Any thread.</summary>
    [BypassReadyToRun]
    public object? TryTake()
    {
        while (true)
        {
            // A guess that the compare-exchange verifies.
            long head = TSync.RelaxedRead(ref _head.Value);
            Slot[] slots = _slots;
            ref Slot slot = ref slots[(int)head & (slots.Length - 1)];

            // Ordered by the compare-exchange below: pairs with the release in TryPush.
            long sequence = TSync.RelaxedRead(ref slot.Sequence);
            if (sequence == head + 1)
            {
                // Pairs with the compare-exchange of other takers: the winner owns the slot until it frees it. A full fence between sequence and item.
                if (TSync.CompareExchange(ref _head.Value, head + 1, head) == head)
                {
                    object? item = TSync.Read(ref slot.Item);
                    TSync.Write(ref slot.Item, null);

                    // Release: pairs with the acquire in TryPush.
                    TSync.VolatileWrite(ref slot.Sequence, head + slots.Length);
                    return item;
                }
            }
            else if (sequence <= head)
            {
                // Nothing was pushed at this position yet, so nothing behind it; an old head makes no difference, since heads only grow.
                return null;
            }
        }
    }

    private struct Slot
    {
        public long Sequence;
        public object? Item;
    }
}
