namespace AdaptivePool.Tests.ModelChecking.Models;

/// <summary>A way in which work comes to a worker: each has a queue, or a place in a queue, of its own.</summary>
public enum WorkWay
{
    /// <summary>Queued by an item, any order: the worker's own deque.</summary>
    Local,

    /// <summary>Queued by an item, in order: the worker's own ring.</summary>
    Fair,

    /// <summary>What follows an await.</summary>
    Posted,

    /// <summary>What follows an await of a task: runs inside a task of its scheduler, together with others of its kind.</summary>
    PostedAsTask,

    /// <summary>Work in flight from outside: the shared queue.</summary>
    Shared,

    /// <summary>Root work.</summary>
    Root,

    /// <summary>Root work of high priority.</summary>
    High,

    /// <summary>Root work of low priority.</summary>
    Low,

    /// <summary>Root work of another class.</summary>
    OtherClass,

    /// <summary>Root work of a route whose group has a worker.</summary>
    Routed,

    /// <summary>Root work of a route whose group has none, or another one.</summary>
    OtherRoute,
}
