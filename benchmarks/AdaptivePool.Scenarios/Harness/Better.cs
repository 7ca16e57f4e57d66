namespace AdaptivePool.Scenarios.Harness;

/// <summary>Whether a higher or a lower value of a metric is better.</summary>
public enum Better
{
    /// <summary>Neither. The metric only describes.</summary>
    Neutral,

    /// <summary>Higher is better.</summary>
    Higher,

    /// <summary>Lower is better.</summary>
    Lower,
}
