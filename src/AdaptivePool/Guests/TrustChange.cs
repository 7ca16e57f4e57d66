namespace AdaptivePool.Guests;

/// <summary>Why a class may have guests from now on, or no longer: the tag of a metric, so there are few.</summary>
internal enum TrustChange
{
    /// <summary>Its requests did not wait, and did not run for long: they run where the server put them from now on.</summary>
    Earned,

    /// <summary>Time and again as many of them waited at once as there are cores.</summary>
    Crowds,

    /// <summary>One computed or slept for longer than a few milliseconds.</summary>
    Long,
}
