namespace AdaptivePool.Scenarios.Harness;

/// <summary>One value of one metric, from one round of one pool.</summary>
/// <param name="Metric">Name of the metric.</param>
/// <param name="Value">The value, in the metric's unit.</param>
/// <param name="Censored">True when a time limit ended the measured: the true value is the given one or beyond it.</param>
public sealed record MeasuredValue(string Metric, double Value, bool Censored = false);
