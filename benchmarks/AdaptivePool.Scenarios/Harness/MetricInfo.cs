namespace AdaptivePool.Scenarios.Harness;

/// <summary>A metric that a scenario reports.</summary>
/// <param name="Name">Name in tables and files.</param>
/// <param name="Unit">Unit.</param>
/// <param name="Better">Whether a higher or a lower value is better.</param>
public sealed record MetricInfo(string Name, string Unit, Better Better = Better.Neutral);
