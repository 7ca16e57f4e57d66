namespace AdaptivePool.Tests.ModelChecking;

/// <summary>What a virtual thread is doing.</summary>
internal enum ThreadStatus
{
    /// <summary>It can go on.</summary>
    Ready,

    /// <summary>It sleeps until woken.</summary>
    Asleep,

    /// <summary>It goes on when the lock is free.</summary>
    Entering,

    /// <summary>It goes on when nobody else can.</summary>
    Resting,

    /// <summary>It has ended.</summary>
    Ended,
}
