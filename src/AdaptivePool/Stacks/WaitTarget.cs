namespace AdaptivePool.Stacks;

/// <summary>What a wait that the hook saw is for.</summary>
internal enum WaitTarget
{
    /// <summary>Something inside the process: a lock, an event, another thread. No server is affected by the number of waits for it.</summary>
    Local,

    /// <summary>A task.</summary>
    Task,

    /// <summary>The network: a server may be behind it.</summary>
    Network,
}
