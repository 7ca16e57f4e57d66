namespace AdaptivePool;

/// <summary>What happens when an item blocks its worker in a managed wait.</summary>
public enum BlockingAction
{
    /// <summary>Nothing but what the pool always does: it lets others run.</summary>
    Ignore,

    /// <summary><see cref="AdaptiveThreadPool.BlockingFound"/> is raised, once for each method.</summary>
    Warn,

    /// <summary>
    /// The wait throws <see cref="BlockingNotAllowedException"/> before it blocks, where an exception can do no harm: waits for tasks, events, semaphores and
    /// threads that the item's own code calls. Locks, Monitor.Wait, and waits inside the framework are warned of instead, because code that takes a lock does
    /// not expect to fail there. Meant for tests and development.
    /// </summary>
    Throw,
}
