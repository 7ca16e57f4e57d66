namespace AdaptivePool.Scenarios.Harness;

/// <summary>All values of one metric of one pool in one case.</summary>
public sealed record ResultCell(string Scenario, string Case, string Pool, MetricInfo Metric)
{
    /// <summary>One value per round.</summary>
    public List<double> Values { get; } = [];

    /// <summary>True if a time limit ended at least one of the rounds: the true value lies beyond the given one.</summary>
    public bool Censored { get; set; }

    /// <summary>The median; NaN without values.</summary>
    public double Median => Bootstrap.Median(Values);
}
