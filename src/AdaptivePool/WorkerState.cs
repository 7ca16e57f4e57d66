namespace AdaptivePool;

/// <summary>What a worker does. Found out from outside, so it is right at the moment of the look, not for ever.</summary>
public enum WorkerState
{
    /// <summary>Holds no item.</summary>
    Idle,

    /// <summary>Holds an item and makes progress, or has not held it long enough to say more (10 ms).</summary>
    Running,

    /// <summary>Holds one item for long and used the CPU over 80 % of the last look's window.</summary>
    Busy,

    /// <summary>Holds one item for long, used the CPU little, and is runnable: others use the cores.</summary>
    Preempted,

    /// <summary>Stands in a managed wait (task, lock, event, sleep) or inside a <see cref="BlockingScope"/>.</summary>
    BlockedManaged,

    /// <summary>Stands in a system call or native code that waits, as a blocking socket read.</summary>
    BlockedKernel,
}
