using AdaptivePool.Scenarios.Load;

namespace AdaptivePool.Scenarios.Scenarios.Shares;

/// <summary>Items that compute and queue themselves again, so that always as many wait or run, until it is disposed.</summary>
public sealed class Flood : IBackground
{
    private readonly Action<IThreadPoolWorkItem> _queue;
    private readonly CpuBurner _burner;
    private readonly double _milliseconds;
    private long _used;
    private bool _ends;

    /// <summary>Queues the items.</summary>
    /// <param name="queue">Where.</param>
    /// <param name="burner">What computes.</param>
    /// <param name="milliseconds">CPU time of an item.</param>
    /// <param name="items">How many.</param>
    public Flood(Action<IThreadPoolWorkItem> queue, CpuBurner burner, double milliseconds, int items)
    {
        (_queue, _burner, _milliseconds) = (queue, burner, milliseconds);
        for (int i = 0; i < items; i++)
        {
            queue(new Item(this));
        }
    }

    /// <inheritdoc/>
    public long Used => Interlocked.Read(ref _used);

    /// <inheritdoc/>
    public bool IsOfThisProcess => true;

    /// <summary>Lets those that run be the last.</summary>
    public void Dispose() => Volatile.Write(ref _ends, true);

    private void Run(Item item)
    {
        long start = ThreadCpu.Nanoseconds();
        _burner.Burn(_milliseconds);
        Interlocked.Add(ref _used, ThreadCpu.Nanoseconds() - start);
        if (!Volatile.Read(ref _ends))
        {
            _queue(item);
        }
    }

    private sealed class Item(Flood owner) : IThreadPoolWorkItem
    {
        public void Execute() => owner.Run(this);
    }
}
