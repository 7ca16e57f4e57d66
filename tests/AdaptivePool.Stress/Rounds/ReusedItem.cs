namespace AdaptivePool.Stress.Rounds;

/// <summary>A work item that queues itself a few times and then waits for its producer to start it again: each time counts as an item, and costs next to
/// nothing besides the dispatch.</summary>
internal sealed class ReusedItem(Tally tally, AdaptiveThreadPool pool, int seed, int number) : IThreadPoolWorkItem
{
    private const int PauseOneIn = 2_048;
    private Dice _dice = new(seed, number);
    private int _queued;
    private int _hops;
    private long _submitted;
    private long _completed;

    /// <summary>Whether it waits for its producer.</summary>
    public bool IsFree => Volatile.Read(ref _hops) == 0;

    /// <summary>Times it was queued and times it ran. Exact while it is free.</summary>
    public (long Submitted, long Completed) Count => (_submitted, _completed);

    /// <summary>Starts it. Its producer only, while it is free.</summary>
    public void Begin(int hops)
    {
        Volatile.Write(ref _hops, hops);
        Queue(preferLocal: false);
    }

    public void Execute()
    {
        // Whoever runs it second finds it not queued. The full fence orders the plain fields for the thread that runs it next.
        if (Interlocked.Exchange(ref _queued, 0) != 1)
        {
            tally.Violate("an item ran twice");
            return;
        }

        _completed++;
        _dice.MayPause(PauseOneIn);
        int left = _hops - 1;
        if (left == 0)
        {
            // Publishes the counts: pairs with the read in IsFree.
            Volatile.Write(ref _hops, 0);
            return;
        }

        _hops = left;
        Queue(preferLocal: _dice.Below(2) == 0);
    }

    private void Queue(bool preferLocal)
    {
        _submitted++;
        Interlocked.Exchange(ref _queued, 1);
        pool.UnsafeQueueUserWorkItem(this, preferLocal);
    }
}
