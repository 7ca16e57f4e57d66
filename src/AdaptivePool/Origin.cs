namespace AdaptivePool;

/// <summary>The kind of work that comes in; <see cref="Intake"/> decides it.</summary>
internal enum Origin
{
    /// <summary>The work comes from outside, and waits in the queue of its class.</summary>
    Root,

    /// <summary>The work continues an item that runs on the calling worker, and waits there.</summary>
    InFlight,

    /// <summary>The work belongs to a transaction for whose permit others may wait. It waits with the work in flight.</summary>
    Transaction,

    /// <summary>The work comes from outside after the pool was closed.</summary>
    AfterTheEnd,
}
