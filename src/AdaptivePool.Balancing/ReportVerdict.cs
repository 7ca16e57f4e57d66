namespace AdaptivePool.Balancing;

/// <summary>How a report that arrived was handled.</summary>
public enum ReportVerdict
{
    /// <summary>The report is valid from now on.</summary>
    Taken,

    /// <summary>A later report of the same backend had already arrived.</summary>
    Stale,

    /// <summary>The text is not a report.</summary>
    Malformed,
}
