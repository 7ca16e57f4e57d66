namespace AdaptivePool.Dispatch.Items;

/// <summary>What the awaits of an asynchronous function come back to.</summary>
internal enum FunctionSurroundings : byte
{
    /// <summary>The context of its class.</summary>
    Class,

    /// <summary>The scheduler of its class that has no context: for code of a scheduler on top of the pool.</summary>
    Scheduler,

    /// <summary>What is already there: a task runs the item.</summary>
    Task,
}
