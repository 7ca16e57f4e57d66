using System.Diagnostics;
using System.Runtime.CompilerServices;

namespace AdaptivePool.Dispatch;

/// <remarks>A worker that waits a moment for what comes next instead of going to sleep.</remarks>
internal sealed partial class Worker<TSync>
{
    private ClassCore<TSync>? _routedOf;

    /// <summary>Notes that an item with a route was taken, of the class whose slot is held. On the worker itself.</summary>
    public void NoteRouted() => _routedOf = _slot;

    /// <summary>Looks for work of whatever kind until some comes or it has taken too long, where that pays in the class.</summary>
    /// <returns>An item with its slot held; <see langword="null"/> when there is none.</returns>
    /// <remarks>
    /// Only the one searcher waits, so that the pool never keeps more than one core awake. It gives the core away at each look: whoever queues the next item
    /// may be waiting for it.
    /// </remarks>
    // A method of its own: the pools that wait for nothing are to go to sleep without it.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private object? WaitForNext(ClassCore<TSync> of)
    {
        _routedOf = null;
        if (_set.BatchWait is not { } wait || !_set.TryBeginSearch(this))
        {
            return null;
        }

        object? item = null;
        long begun = TSync.Timestamp();
        BatchRule batches = of.Batches ??= new BatchRule(wait.TotalSeconds);
        bool waits = batches.Observe(begun * s_secondsPerTick, of.Completed);
        if (waits)
        {
            long until = begun + (long)(wait.TotalSeconds * Stopwatch.Frequency);
            while ((item = Take()) is null && TSync.Timestamp() < until)
            {
                TSync.Yield();
            }

            if (item is null)
            {
                batches.HasWaitedInVain();
            }
        }

        if (item is null)
        {
            // A look takes a slot before it looks into a queue.
            ReleaseSlot();
            _set.EndSearch(this);
        }

        return item;
    }
}
