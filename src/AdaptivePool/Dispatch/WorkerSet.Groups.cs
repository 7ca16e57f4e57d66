namespace AdaptivePool.Dispatch;

/// <remarks>Groups of workers, which say who comes first; see <see cref="IdleWorkers{TSync}"/>.</remarks>
internal sealed partial class WorkerSet<TSync>
{
    private long _stealsBefore;
    private long _borrowsBefore;

    /// <summary>
    /// Called by a worker with its group: before its first item, and when it wakes in another one. <see langword="null"/> for nobody. Set before the first
    /// item.
    /// </summary>
    public Action<int>? OnGroup { get; set; }

    /// <summary>
    /// How long a worker that has run work with a route waits for more, where that pays (<see cref="BatchRule"/>); <see langword="null"/>: not at all.
    /// </summary>
    public TimeSpan? BatchWait { get; init; }

    /// <summary>Items with a route to a group that wait, of all classes; a hint.</summary>
    public long QueuedAt(int group) => Classes.Sum(core => (long)core.Queue.CountAt(group));

    /// <summary>Items that workers took from others' own queues; a hint.</summary>
    public long Steals() => CountOf(ref _stealsBefore, static worker => worker.Steals);

    /// <summary>Items with a route that workers of other groups took; a hint.</summary>
    public long Borrows() => CountOf(ref _borrowsBefore, static worker => worker.Borrows);

    // With those that end meanwhile counted once: a collector takes a count that goes back for a process that has begun anew.
    private long CountOf(ref long before, Func<Worker<TSync>, long> countOf)
    {
        using (_registry.Hold())
        {
            return TSync.RelaxedRead(ref before) + Workers.Sum(worker => worker is null ? 0 : countOf(worker));
        }
    }

    /// <summary>Keeps what a worker that ends has counted. Under the lock of the registry.</summary>
    private void KeepCounts(Worker<TSync> worker)
    {
        TSync.RelaxedWrite(ref _stealsBefore, TSync.RelaxedRead(ref _stealsBefore) + worker.Steals);
        TSync.RelaxedWrite(ref _borrowsBefore, TSync.RelaxedRead(ref _borrowsBefore) + worker.Borrows);
    }

    /// <summary>Queues root work of a route: workers of its group come first.</summary>
    public void QueueRootAt(ClassCore<TSync> target, long route, object item)
    {
        using OwedWake<TSync> owed = OweWake();
        int group = Idle.GroupOf(route);
        target.Queue.EnqueueAt(group, item);
        Announce(target, group);
    }
}
