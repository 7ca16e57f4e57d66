using AdaptivePool.Internal;

namespace AdaptivePool.Workers;

/// <summary>
/// Parked workers, the last one first: its caches are warm, and cold ones at the bottom become superfluous and retire. A Treiber stack in one word: version in the upper 32 bits
/// (against the ABA problem), number of the top worker plus one in the lower 32.
/// </summary>
internal sealed class IdleStack(WorkerSet workers)
{
    private PaddedLong _head;
    private PaddedInt _count;

    /// <summary>Workers here; a hint.</summary>
    public int Count => Volatile.Read(ref _count.Value);

    /// <summary>Whether nobody is here. Exact at the moment of the read.</summary>
    public bool IsEmpty => (uint)Volatile.Read(ref _head.Value) == 0;

    public void Push(Worker worker)
    {
        // The count goes up before the worker can be popped, so that it is never negative.
        Interlocked.Increment(ref _count.Value);
        while (true)
        {
            long head = Volatile.Read(ref _head.Value);
            worker.NextIdle = (int)(uint)head;
            long next = ((head >> 32) + 1) << 32 | (uint)(worker.Id + 1);

            // Full fence: publishes NextIdle, pairs with the read in TryPop, and is the "publish" of the sleep protocol (see WorkerSet.EnsureWorker).
            if (Interlocked.CompareExchange(ref _head.Value, next, head) == head)
            {
                return;
            }
        }
    }

    public Worker? TryPop()
    {
        while (true)
        {
            long head = Volatile.Read(ref _head.Value);
            uint top = (uint)head;
            if (top == 0)
            {
                return null;
            }

            Worker? worker = workers.TryGet((int)top - 1);
            if (worker is null)
            {
                // The head moved between the two reads and its worker has retired since.
                continue;
            }

            long next = ((head >> 32) + 1) << 32 | (uint)worker.NextIdle;

            // Pairs with Push: the version makes a worker that left and came back a different head.
            if (Interlocked.CompareExchange(ref _head.Value, next, head) == head)
            {
                Interlocked.Decrement(ref _count.Value);
                return worker;
            }
        }
    }
}
