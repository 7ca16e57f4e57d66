namespace AdaptivePool.Stacks;

/// <summary>What a thread waits for, as far as it matters whether the wait may throw.</summary>
internal enum WaitPrimitive
{
    /// <summary>A lock, or what no frame tells: a contended lock has the fewest frames.</summary>
    Lock,

    /// <summary>Monitor.Wait: the lock is given up while it waits.</summary>
    MonitorWait,

    /// <summary>A task.</summary>
    Task,

    /// <summary>An event, a semaphore, a thread.</summary>
    Event,
}
