using AdaptivePool.Scenarios.Pools;

namespace AdaptivePool.Scenarios.Scenarios.Dispatch;

/// <summary>Threads outside the pool queue work items; the objects are used again and again, so that only the pool allocates.</summary>
public sealed class ExternalCase(int producers) : DispatchCase
{
    private const int Objects = 1_024;

    /// <inheritdoc/>
    public override int Run(ComparedPool pool, int items)
    {
        using ManualResetEventSlim done = new();
        Counter counter = new(items, done);
        Item[] objects = [.. Enumerable.Range(0, Objects).Select(_ => new Item(counter))];
        int share = items / producers;
        Thread[] others = new Thread[producers - 1];
        for (int i = 0; i < others.Length; i++)
        {
            others[i] = new Thread(() => Produce(pool, objects, share)) { IsBackground = true };
            others[i].Start();
        }

        Produce(pool, objects, items - (share * others.Length));
        WaitFor(done);
        return items;
    }

    private static void Produce(ComparedPool pool, Item[] objects, int count)
    {
        for (int i = 0; i < count; i++)
        {
            pool.Queue(objects[i & (Objects - 1)], preferLocal: false);
        }
    }

    private sealed class Counter(int items, ManualResetEventSlim done)
    {
        private int _remaining = items;

        public void Count()
        {
            if (Interlocked.Decrement(ref _remaining) == 0)
            {
                done.Set();
            }
        }
    }

    private sealed class Item(Counter counter) : IThreadPoolWorkItem
    {
        public void Execute() => counter.Count();
    }
}
