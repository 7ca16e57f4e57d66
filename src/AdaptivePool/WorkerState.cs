namespace AdaptivePool;

/// <summary>What a worker does. The pool observes this from outside, so the state is correct only for the moment of the observation.</summary>
public enum WorkerState
{
    /// <summary>The worker holds no item.</summary>
    Idle,

    /// <summary>The worker holds an item and makes progress, or has not held it long enough to know more (10 ms).</summary>
    Running,

    /// <summary>The worker has held one item for long, and used the CPU for more than 80 % of the last observation window.</summary>
    Busy,

    /// <summary>The worker has held one item for long, used little CPU, and is runnable: other threads use the cores.</summary>
    Preempted,

    /// <summary>The worker is in a managed wait (task, lock, event, sleep) or inside a <see cref="BlockingScope"/>.</summary>
    BlockedManaged,

    /// <summary>The worker is in a system call or native code that waits, such as a blocking socket read.</summary>
    BlockedKernel,
}
