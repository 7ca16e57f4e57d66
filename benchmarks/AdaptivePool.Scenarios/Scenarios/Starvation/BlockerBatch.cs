using System.Diagnostics;
using AdaptivePool.Scenarios.Pools;

namespace AdaptivePool.Scenarios.Scenarios.Starvation;

/// <summary>Items that are queued together, and a probe queued last.</summary>
public sealed class BlockerBatch
{
    private readonly List<Item> _items = [];
    private readonly CountdownEvent _remaining = new(1);
    private long _lastEnd;
    private long _probeQueued;
    private long _probeStarted;

    /// <summary>Time from queueing the probe to its start; null while it has not started.</summary>
    public TimeSpan? ProbeStartedAfter =>
        Volatile.Read(ref _probeStarted) is var started and not 0 ? Stopwatch.GetElapsedTime(_probeQueued, started) : null;

    /// <summary>Items that all sleep.</summary>
    public static BlockerBatch Sleepers(int count, int milliseconds) => Mixed(count, milliseconds, 0, static () => { });

    /// <summary>Items that sleep, each followed by short ones.</summary>
    public static BlockerBatch Mixed(int count, int milliseconds, int shortPerBlocker, Action shortWork)
    {
        BlockerBatch batch = new();
        for (int i = 0; i < count; i++)
        {
            batch._items.Add(new Item(batch, () => Thread.Sleep(milliseconds)));
            batch._items.AddRange(Enumerable.Range(0, shortPerBlocker).Select(_ => new Item(batch, shortWork)));
        }

        return batch;
    }

    /// <summary>Queues everything, then the probe.</summary>
    public void QueueAll(ComparedPool pool)
    {
        _remaining.AddCount(_items.Count);
        foreach (Item item in _items)
        {
            pool.Queue(item, preferLocal: false);
        }

        _probeQueued = Stopwatch.GetTimestamp();
        pool.Queue(new Probe(this), preferLocal: false);
    }

    /// <summary>Waits for all items and the probe.</summary>
    public bool Wait(TimeSpan limit) => _remaining.Wait(limit);

    /// <summary>Time from a start to the end of the last item.</summary>
    public TimeSpan EndedAfter(long start) => Stopwatch.GetElapsedTime(start, Volatile.Read(ref _lastEnd));

    private void OnEnded()
    {
        Volatile.Write(ref _lastEnd, Stopwatch.GetTimestamp());
        _remaining.Signal();
    }

    private sealed class Item(BlockerBatch batch, Action work) : IThreadPoolWorkItem
    {
        public void Execute()
        {
            work();
            batch.OnEnded();
        }
    }

    private sealed class Probe(BlockerBatch batch) : IThreadPoolWorkItem
    {
        public void Execute()
        {
            Volatile.Write(ref batch._probeStarted, Stopwatch.GetTimestamp());
            batch.OnEnded();
        }
    }
}
