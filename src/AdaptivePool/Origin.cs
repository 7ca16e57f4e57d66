namespace AdaptivePool;

/// <summary>What work is that comes in; <see cref="Intake"/> decides.</summary>
internal enum Origin
{
    /// <summary>It comes from outside, and waits in the queue of its class.</summary>
    Root,

    /// <summary>It continues an item that runs on the calling worker, and waits there.</summary>
    InFlight,

    /// <summary>It belongs to a transaction for whose permit others may wait, and waits with what is in flight.</summary>
    Transaction,

    /// <summary>It comes from outside after the pool was closed.</summary>
    AfterTheEnd,
}
