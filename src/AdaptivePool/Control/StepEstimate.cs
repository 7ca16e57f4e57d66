namespace AdaptivePool.Control;

/// <summary>The belief about a change of size.</summary>
/// <param name="Gain">Mean of the logarithm of throughput after over throughput before.</param>
/// <param name="Deviation">Its standard deviation.</param>
internal readonly record struct StepEstimate(double Gain, double Deviation);
