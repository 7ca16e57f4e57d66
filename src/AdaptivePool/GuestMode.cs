namespace AdaptivePool;

/// <summary>Whether requests that never wait run where the server put them.</summary>
public enum GuestMode
{
    /// <summary>Classes that have earned it; see <see cref="WorkClass.TryRunAsGuest"/>.</summary>
    Auto,

    /// <summary>All requests run on the pool's workers.</summary>
    Never,
}
