namespace AdaptivePool.Scenarios.Harness;

/// <summary>Which direction of a metric is the good one.</summary>
public enum Better
{
    /// <summary>Neither: the number describes, it does not judge.</summary>
    Neutral,

    /// <summary>More is better.</summary>
    Higher,

    /// <summary>Less is better.</summary>
    Lower,
}
