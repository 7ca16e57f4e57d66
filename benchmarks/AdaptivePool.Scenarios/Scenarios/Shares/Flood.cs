using AdaptivePool.Scenarios.Load;

namespace AdaptivePool.Scenarios.Scenarios.Shares;

/// <summary>Items that compute and queue themselves again, so that always as many wait or run.</summary>
/// <param name="queue">Where.</param>
/// <param name="burner">What computes.</param>
/// <param name="milliseconds">CPU time of an item.</param>
public sealed class Flood(Action<IThreadPoolWorkItem> queue, CpuBurner burner, double milliseconds)
{
    private long _used;
    private bool _ends;

    /// <summary>CPU time of its items so far, in nanoseconds.</summary>
    public long Used => Interlocked.Read(ref _used);

    /// <summary>Queues the items.</summary>
    public void Start(int items)
    {
        for (int i = 0; i < items; i++)
        {
            queue(new Item(this));
        }
    }

    /// <summary>Lets those that run be the last.</summary>
    public void End() => Volatile.Write(ref _ends, true);

    private void Run(Item item)
    {
        long start = ThreadCpu.Nanoseconds();
        burner.Burn(milliseconds);
        Interlocked.Add(ref _used, ThreadCpu.Nanoseconds() - start);
        if (!Volatile.Read(ref _ends))
        {
            queue(item);
        }
    }

    private sealed class Item(Flood owner) : IThreadPoolWorkItem
    {
        public void Execute() => owner.Run(this);
    }
}
