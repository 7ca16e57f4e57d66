namespace AdaptivePool.Diagnostics;

/// <summary>Names of the pool's metrics (<c>System.Diagnostics.Metrics</c>; any collector that reads a meter by name gets them).</summary>
public static class MetricNames
{
    /// <summary>The meter.</summary>
    public const string Meter = "AdaptivePool";

    /// <summary>
    /// Counter of decisions about a size, in decisions. Tags: <c>pool</c>, <c>class</c> (empty for the pool as a whole) and <c>reason</c>, a name of <see cref="Control.DecisionReason"/>;
    /// <c>InvalidSample</c> counts the samples that a controller could not believe.
    /// </summary>
    public const string Decisions = "adaptivepool.decisions";
}
