namespace AdaptivePool.Balancing;

/// <summary>What became of a report that arrived.</summary>
public enum ReportVerdict
{
    /// <summary>It holds from now on.</summary>
    Taken,

    /// <summary>A later one of the same backend was there already.</summary>
    Stale,

    /// <summary>It is no report.</summary>
    Malformed,
}
