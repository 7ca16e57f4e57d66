namespace AdaptivePool.Guests;

/// <summary>Why a class may have guests from now on, or no longer: the tag of a metric, so there are few.</summary>
internal enum TrustChange
{
    /// <summary>
    /// Its requests did not wait, or waited briefly where a hop brings nothing, and did not run for long: they run where the server put them from now on.
    /// </summary>
    Earned,

    /// <summary>Again and again, as many of its requests waited at once as there are cores.</summary>
    Crowds,

    /// <summary>A request computed or slept for longer than a few milliseconds.</summary>
    Long,

    /// <summary>Its requests wait, and run for too long on average.</summary>
    Slow,

    /// <summary>Its requests wait, and others came that would wait behind them.</summary>
    Others,

    /// <summary>Many of its requests wait at once, and the machine has idle cores, which more threads would use.</summary>
    Idle,

    /// <summary>Its requests wait, and the user has bounded the pool's threads.</summary>
    Bounded,

    /// <summary>The class got a bounded queue, a weight or a blocking action.</summary>
    Settings,
}
