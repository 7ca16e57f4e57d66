using AdaptivePool.Queues;

namespace AdaptivePool.Classes;

/// <summary>What workers and sizing know of a work class: its queue, its limit, its statistics.</summary>
internal sealed class ClassCore(string name, int startLimit, bool isInFlight)
{
    private readonly Internal.PaddedCounter _completed = new();
    private readonly Internal.PaddedCounter _waits = new();
    private readonly Internal.PaddedCounter _declaredWaits = new();
    private readonly Internal.PaddedCounter _sampledWaits = new();
    private readonly Internal.PaddedCounter _sampledTaskWaits = new();
    private Generation _generation = new(startLimit);

    public string Name { get; } = name;

    /// <summary>Whether this is the class of work that continues something already started. It has no limit per endpoint; a wait that the hook sees frees its slot.</summary>
    public bool IsInFlight { get; } = isInFlight;

    public PriorityLanes Queue { get; } = new();

    public ClassLimit Limit { get; } = new(startLimit);

    public ServiceTimeHistogram ServiceTimes { get; } = new();

    /// <summary>Statistics of items that start now.</summary>
    public Generation Generation => Volatile.Read(ref _generation);

    public long Completed => _completed.Value;

    public int PeakLimit { get; private set; } = startLimit;

    /// <summary>The public face of the class; the contexts its items run under hang there. Set once, before the first item.</summary>
    public WorkClass Owner { get; set; } = null!;

    /// <summary>Written by Sizing only.</summary>
    public string SizingState { get; set; } = "Start";

    /// <summary>Written by Sizing only.</summary>
    public int Verified { get; set; }

    /// <summary>Whether the last items of the class that were timed were shorter than a wake. Written by workers, a hint.</summary>
    public bool HasShortItems { get; set; }

    /// <summary>Items in the class's queue.</summary>
    public int QueuedCount => Queue.Count;

    /// <summary>Whether root work waits that may run. A hint when others work here.</summary>
    public bool IsEligible => !Queue.IsEmpty && Limit.HasRoom;

    /// <summary>Waits of the class's items that the pool could see: through the hook or declared. The rounds of a profile; counted where an item starts to wait, so that items that do not wait pay nothing.</summary>
    public long Waits => _waits.Value + _declaredWaits.Value;

    /// <summary>Share of the sampled hook waits of this class that waited for a task.</summary>
    public double TaskWaitShare => _sampledWaits.Value == 0 ? 0 : (double)_sampledTaskWaits.Value / _sampledWaits.Value;

    public void AddCompleted(long count) => _completed.Add(count);

    /// <summary>Puts a limit in force. Sizing only.</summary>
    public void SetLimit(int limit)
    {
        // The generation is published first: an item that starts under the new limit is never counted for the old one.
        Volatile.Write(ref _generation, new Generation(limit));
        Limit.Set(limit);
        PeakLimit = Math.Max(PeakLimit, limit);
    }

    /// <summary>Counts a wait seen by the hook.</summary>
    /// <returns>Whether to look at its stack: the first eight of a class and one in sixty-four, which bounds the cost of looking.</returns>
    public bool CountWait()
    {
        long waits = _waits.Add(1);
        return waits <= 8 || (waits & 63) == 0;
    }

    /// <summary>Counts a wait that the item declared.</summary>
    public void CountDeclaredWait() => _declaredWaits.Add(1);

    public void CountSampledWait(bool waitsForTask)
    {
        _sampledWaits.Add(1);
        if (waitsForTask)
        {
            _sampledTaskWaits.Add(1);
        }
    }
}
