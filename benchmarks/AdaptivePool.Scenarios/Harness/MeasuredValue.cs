namespace AdaptivePool.Scenarios.Harness;

/// <summary>One value of one metric, from one round of one pool.</summary>
/// <param name="Metric">Name of the metric.</param>
/// <param name="Value">The value, in the metric's unit.</param>
/// <param name="Censored">True if a time limit ended the measurement: the true value is the given one or lies beyond it.</param>
public sealed record MeasuredValue(string Metric, double Value, bool Censored = false);
