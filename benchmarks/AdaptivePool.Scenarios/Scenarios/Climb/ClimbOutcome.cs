using AdaptivePool.Simulation;

namespace AdaptivePool.Scenarios.Scenarios.Climb;

/// <summary>One simulated run and what it was worth.</summary>
/// <param name="Start">The size it began with.</param>
/// <param name="Seed">Its seed.</param>
/// <param name="Delivered">Completions of the whole run, without noise.</param>
/// <param name="Metrics">What it was worth.</param>
public sealed record ClimbOutcome(int Start, int Seed, double Delivered, ClimbMetrics Metrics);
