namespace AdaptivePool.Stacks;

/// <summary>What a wait that the hook saw is for.</summary>
internal enum WaitTarget
{
    /// <summary>Something inside the process: a lock, an event, another thread. No server minds how many wait for it.</summary>
    Local,

    /// <summary>A task.</summary>
    Task,

    /// <summary>The network: a server may stand behind it.</summary>
    Network,
}
