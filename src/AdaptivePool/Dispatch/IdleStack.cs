namespace AdaptivePool.Dispatch;

/// <summary>
/// Parked workers. The last one comes first: its caches are warm, and cold ones at the bottom become superfluous and retire. A Treiber stack in one word:
/// version in the upper 32 bits (against the ABA problem), number of the top worker plus one in the lower 32.
/// </summary>
/// <typeparam name="TSync">The machine or its model.</typeparam>
internal sealed class IdleStack<TSync>(WakeProtocol<TSync> workers)
    where TSync : struct, ISync
{
    private PaddedLong _head;
    private PaddedInt _count;

    /// <summary>Workers here; a hint.</summary>
    public int Count => TSync.RelaxedRead(ref _count.Value);

    /// <summary>Whether no worker is here. Exact at the moment of the read.</summary>
    public bool IsEmpty
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => (uint)TSync.RelaxedRead(ref _head.Value) == 0;
    }

    public void Push(Sleeper<TSync> worker)
    {
        // The count goes up before the worker can be popped, so that it is never negative.
        TSync.RelaxedIncrement(ref _count.Value);
        while (true)
        {
            // A guess that the compare-exchange verifies.
            long head = TSync.RelaxedRead(ref _head.Value);
            TSync.Write(ref worker.NextIdle, (int)(uint)head);
            long next = ((head >> 32) + 1) << 32 | (uint)(worker.Id + 1);

            // Publishes NextIdle, pairs with the read in TryPop. The fence of the sleep protocol follows it, see WakeProtocol.
            if (TSync.OrderedCompareExchange(ref _head.Value, next, head) == head)
            {
                return;
            }
        }
    }

    public Sleeper<TSync>? TryPop()
    {
        while (true)
        {
            // Acquire: pairs with Push; without it an old NextIdle could become the head.
            long head = TSync.VolatileRead(ref _head.Value);
            uint top = (uint)head;
            if (top == 0)
            {
                return null;
            }

            Sleeper<TSync>? worker = workers.TryGet((int)top - 1);
            if (worker is null)
            {
                // The head moved between the two reads and its worker has retired since.
                continue;
            }

            long next = ((head >> 32) + 1) << 32 | (uint)TSync.Read(ref worker.NextIdle);

            // Pairs with Push: the version makes a worker that left and came back a different head. Only its atomicity counts.
            if (TSync.RelaxedCompareExchange(ref _head.Value, next, head) == head)
            {
                TSync.RelaxedDecrement(ref _count.Value);
                return worker;
            }
        }
    }
}
