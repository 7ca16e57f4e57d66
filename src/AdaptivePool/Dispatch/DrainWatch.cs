namespace AdaptivePool.Dispatch;

/// <summary>Whether a closed pool has nothing left to do: nothing queued, nothing that runs, nothing accepted that is in no queue.</summary>
/// <remarks>
/// No look sees one moment: an item may move from a place that the look has yet to reach to one that it has passed. So two looks in a row must find nothing,
/// and nothing may have started, ended or been counted between their ends: then nothing moved during the second look. Work that continues accepted work
/// without being counted (a function that is awaited off the pool) is not seen until it is queued.
/// </remarks>
/// <typeparam name="TSync">The machine or its model.</typeparam>
internal sealed class DrainWatch<TSync>(WorkerSet<TSync> set)
    where TSync : struct, ISync
{
    private int _begun;
    private int _ended;
    private (long Heartbeats, int Existing, int Counted) _before;
    private bool _wasQuiet;

    /// <summary>
    /// Counts accepted work that is in no queue: awaited functions and LongRunning tasks. Called before the work leaves the worker that has it.
    /// </summary>
    public void Begin()
    {
        // A full fence, as in End: a thread that sees the item's worker at its end sees this count.
        TSync.Increment(ref _begun);
    }

    /// <summary>Ends what <see cref="Begin"/> counted. Called after the work that it leaves behind is queued.</summary>
    public void End()
    {
        // A full fence: pairs with the fence in Look. A look that does not see this work as outstanding sees what it has queued.
        TSync.Increment(ref _ended);
    }

    /// <summary>Looks once. One thread only.</summary>
    /// <returns>Whether this look and the one before found nothing, and nothing moved between them.</returns>
    public bool Look()
    {
        // Pairs with the fences of Begin, End and EnqueueInFlight.
        TSync.Fence();

        // In the order in which work moves: from a worker's own queues to the shared ones, from there to a slot, and from there, where a wait lends the slot,
        // to the heartbeat alone.
        bool isQuiet = set.QueuedCount() == 0;

        // Acquire: work that had ended by then had begun by then, and the read that follows sees that. So where the two are equal, nothing was outstanding.
        int ended = TSync.VolatileRead(ref _ended);
        isQuiet &= TSync.RelaxedRead(ref _begun) == ended;

        // Pairs with the compare-exchange of TryAcquire: a look that sees an item gone from its queue sees the slot that it was taken under.
        TSync.Fence();
        isQuiet &= set.InFlight.Limit.Active == 0 && !Array.Exists(set.Classes, static source => source.Limit.Active > 0);

        // A worker that gives its own work away holds an item that is in no queue, and no slot for it.
        isQuiet &= set.Idle.Count >= set.Existing;

        // Pairs with Release: a look that sees the slot lent sees that the item runs.
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

        // Both counts only grow, so their sum stays only where neither has moved.
        (long, int, int) now = (heartbeats, set.Existing, unchecked(TSync.RelaxedRead(ref _begun) + TSync.RelaxedRead(ref _ended)));
        bool stays = _wasQuiet && now == _before;
        _wasQuiet = isQuiet && !runs;
        _before = now;
        return _wasQuiet && stays;
    }
}
