using AdaptivePool.Internal;

namespace AdaptivePool.Queues;

/// <summary>
/// Bounded FIFO ring with one producer (the owner) and any number of takers, for work that must not overtake: continuations, Yield, PreferFairness from a worker.
/// </summary>
/// <remarks>
/// Each slot carries a sequence number (Vyukov's bounded queue): s = position when free for the push at that position, position + 1 when filled. A taker moves the head by
/// compare-exchange, reads, nulls and frees the slot, so no reference outlives its item.
/// </remarks>
internal sealed class FairRing
{
    /// <summary>Slots; a power of two. 256 as in Go and Tokio (reference: schedulers, section 1): a fuller ring spills to the global queue.</summary>
    public const int Capacity = 256;

    private readonly Slot[] _slots = new Slot[Capacity];
    private PaddedLong _head;
    private PaddedLong _tail;

    public FairRing()
    {
        for (int i = 0; i < Capacity; i++)
        {
            _slots[i].Sequence = i;
        }
    }

    /// <summary>Whether nothing is here; from a thread other than the owner's, a hint.</summary>
    public bool IsEmpty => Volatile.Read(ref _tail.Value) <= Volatile.Read(ref _head.Value);

    /// <summary>Items here; a hint.</summary>
    public int Count => (int)Math.Max(0, Volatile.Read(ref _tail.Value) - Volatile.Read(ref _head.Value));

    /// <summary>Adds an item. Owner only.</summary>
    /// <returns><see langword="false"/> when the ring is full.</returns>
    public bool TryPush(object item)
    {
        long tail = _tail.Value;
        ref Slot slot = ref _slots[tail & (Capacity - 1)];

        // Acquire: pairs with the release in TryTake; without it the owner could write into a slot whose taker has not read it yet.
        if (Volatile.Read(ref slot.Sequence) != tail)
        {
            return false;
        }

        slot.Item = item;

        // Release: pairs with the acquire in TryTake; without it a taker could see a filled slot without its item.
        Volatile.Write(ref slot.Sequence, tail + 1);
        Volatile.Write(ref _tail.Value, tail + 1);
        return true;
    }

    /// <summary>Takes the oldest item. Any thread.</summary>
    public object? TryTake()
    {
        while (true)
        {
            long head = Volatile.Read(ref _head.Value);
            ref Slot slot = ref _slots[head & (Capacity - 1)];

            // Acquire: pairs with the release in TryPush.
            long sequence = Volatile.Read(ref slot.Sequence);
            if (sequence == head + 1)
            {
                // Pairs with the compare-exchange of other takers: the winner owns the slot until it frees it.
                if (Interlocked.CompareExchange(ref _head.Value, head + 1, head) == head)
                {
                    object? item = slot.Item;
                    slot.Item = null;
                    Volatile.Write(ref slot.Sequence, head + Capacity);
                    return item;
                }
            }
            else if (sequence <= head && head == Volatile.Read(ref _head.Value))
            {
                return null;
            }
        }
    }

    /// <summary>What waits at this moment, oldest first, for the debugger. Any thread; items that are taken meanwhile may be missed.</summary>
    public IEnumerable<object> Items
    {
        get
        {
            long tail = Volatile.Read(ref _tail.Value);
            for (long i = Volatile.Read(ref _head.Value); i < tail; i++)
            {
                if (_slots[i & (Capacity - 1)].Item is { } item)
                {
                    yield return item;
                }
            }
        }
    }

    private struct Slot
    {
        public long Sequence;
        public object? Item;
    }
}
