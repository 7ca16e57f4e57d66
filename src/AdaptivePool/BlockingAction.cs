namespace AdaptivePool;

/// <summary>What happens when an item blocks its worker in a managed wait.</summary>
public enum BlockingAction
{
    /// <summary>The pool only does what it always does: it lets other items run.</summary>
    Ignore,

    /// <summary>The pool raises <see cref="AdaptiveThreadPool.BlockingFound"/>, once for each method.</summary>
    Warn,

    /// <summary>
    /// The wait throws <see cref="BlockingNotAllowedException"/> before it blocks, where an exception can do no harm: in waits for tasks, events, semaphores
    /// and threads that the item's own code calls. Locks, Monitor.Wait and waits inside the framework only cause a warning, because code that takes a lock does
    /// not expect an exception there. Use it for tests and development.
    /// </summary>
    Throw,
}
