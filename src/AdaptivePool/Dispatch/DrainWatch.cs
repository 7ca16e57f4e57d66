namespace AdaptivePool.Dispatch;

/// <summary>Whether a closed pool has nothing left to do: nothing queued, nothing that runs, nothing accepted that is in no queue.</summary>
/// <remarks>
/// No look sees one moment: an item may leave a place that is looked at next for one that was looked at before. So two looks in a row must find nothing, and
/// nothing may have started, ended or been counted between their ends: then nothing moved while the second one looked. What continues accepted work without
/// being counted (a function that is awaited off the pool) is not seen until it is queued.
/// </remarks>
/// <typeparam name="TSync">The machine or its model.</typeparam>
internal sealed class DrainWatch<TSync>(WorkerSet<TSync> set)
    where TSync : struct, ISync
{
    private int _begun;
    private int _ended;
    private (long Heartbeats, int Existing, int Counted) _before;
    private bool _wasQuiet;

    /// <summary>Counts accepted work that is in no queue: awaited functions and LongRunning tasks. Before it leaves the worker that has it.</summary>
    public void Begin()
    {
        // A full fence, as in End: whoever sees the item's worker at its end sees this.
        TSync.Increment(ref _begun);
    }

    /// <summary>Ends what <see cref="Begin"/> counted. After what it leaves behind is queued.</summary>
    public void End()
    {
        // A full fence: pairs with the fence in Look. Whoever does not see this as outstanding sees what it has queued.
        TSync.Increment(ref _ended);
    }

    /// <summary>Looks once. One thread only.</summary>
    /// <returns>Whether this look and the one before found nothing, and nothing moved between them.</returns>
    public bool Look()
    {
        // Pairs with the fences of Begin, End and EnqueueInFlight.
        TSync.Fence();

        // In the order in which work moves: from a worker's own queues to the shared ones, from there under a slot, and from there, where a wait lends the
        // slot, to the heartbeat alone.
        bool isQuiet = set.QueuedCount() == 0;

        // Acquire: what had ended then had begun then, and is seen as begun by the read that follows. So where the two are equal nothing was outstanding.
        int ended = TSync.VolatileRead(ref _ended);
        isQuiet &= TSync.RelaxedRead(ref _begun) == ended;

        // Pairs with the compare-exchange of TryAcquire: who sees an item gone from its queue sees the slot that it was taken under.
        TSync.Fence();
        isQuiet &= set.InFlight.Limit.Active == 0 && !Array.Exists(set.Classes, static source => source.Limit.Active > 0);

        // A worker that gives its own work away holds an item that is in no queue, and no slot for it.
        isQuiet &= set.Idle.Count >= set.Existing;

        // Pairs with Release: who sees the slot lent sees that the item runs.
        TSync.Fence();
        bool runs = false;
        long heartbeats = 0;
        foreach (ref Worker<TSync>? place in set.Workers.AsSpan())
        {
            if (TSync.RelaxedRead(ref place) is { } worker)
            {
                long sequence = worker.Sequence;
                runs |= (sequence & 1) != 0;
                heartbeats += sequence;
            }
        }

        // Both only grow: their sum stays where neither has moved.
        (long, int, int) now = (heartbeats, set.Existing, unchecked(TSync.RelaxedRead(ref _begun) + TSync.RelaxedRead(ref _ended)));
        bool stays = _wasQuiet && now == _before;
        _wasQuiet = isQuiet && !runs;
        _before = now;
        return _wasQuiet && stays;
    }
}
