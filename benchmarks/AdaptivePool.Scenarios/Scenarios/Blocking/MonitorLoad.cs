namespace AdaptivePool.Scenarios.Scenarios.Blocking;

/// <summary>What a pool does while its own threads are watched.</summary>
public enum MonitorLoad
{
    /// <summary>Its workers wait.</summary>
    Blocked,

    /// <summary>Its workers compute.</summary>
    Computing,

    /// <summary>Nothing.</summary>
    Idle,
}
