namespace AdaptivePool.Scenarios.Scenarios.Groups;

/// <summary>What one turn of a load was.</summary>
/// <param name="PerSecond">Items that ended per second.</param>
/// <param name="TailMilliseconds">99th percentile of the wait for a worker.</param>
public readonly record struct RoutedRate(double PerSecond, double TailMilliseconds);
