namespace AdaptivePool.Dispatch.Items;

/// <summary>What the awaits of an asynchronous function come back to.</summary>
internal enum FunctionSurroundings : byte
{
    /// <summary>The context of its class.</summary>
    Class,

    /// <summary>The scheduler of its class that has no context: code of a scheduler on top of the pool.</summary>
    Scheduler,

    /// <summary>What is there already: a task that runs the item.</summary>
    Task,
}
