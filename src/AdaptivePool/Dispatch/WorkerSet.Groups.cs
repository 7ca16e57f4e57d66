namespace AdaptivePool.Dispatch;

/// <remarks>Groups of workers, which say who comes first; see <see cref="IdleWorkers{TSync}"/>.</remarks>
internal sealed partial class WorkerSet<TSync>
{
    /// <summary>
    /// Called by a worker with its group: before its first item, and when it wakes in another one. <see langword="null"/> for nobody. Set before the first
    /// item.
    /// </summary>
    public Action<int>? OnGroup { get; set; }

    /// <summary>Queues root work of a route: workers of its group come first.</summary>
    public void QueueRootAt(ClassCore<TSync> target, long route, object item)
    {
        using OwedWake<TSync> owed = OweWake();
        int group = Idle.GroupOf(route);
        target.Queue.EnqueueAt(group, item);
        Announce(target, group);
    }
}
