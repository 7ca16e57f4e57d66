namespace AdaptivePool.Dispatch;

/// <summary>The queue that a worker looks at first in a turn; see <see cref="TurnRule"/>.</summary>
internal enum FirstLook
{
    /// <summary>The newest item of its own deque.</summary>
    Newest,

    /// <summary>Its own work in order.</summary>
    Fair,

    /// <summary>The shared in-flight queue.</summary>
    Shared,

    /// <summary>The queues of other workers.</summary>
    Others,

    /// <summary>The oldest item of its own deque.</summary>
    Oldest,

    /// <summary>Root work of all classes in turn.</summary>
    Root,
}
