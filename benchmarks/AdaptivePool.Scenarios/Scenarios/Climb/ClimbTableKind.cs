namespace AdaptivePool.Scenarios.Scenarios.Climb;

/// <summary>How the results of <c>climb</c> are printed.</summary>
public enum ClimbTableKind
{
    /// <summary>A row per curve, a column per pool.</summary>
    Compact,

    /// <summary>A row per curve and start, a column per pool.</summary>
    Starts,

    /// <summary>A row per metric, as other scenarios do.</summary>
    Full,
}
