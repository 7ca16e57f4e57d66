namespace AdaptivePool.Control;

/// <summary>What is known of one step of size: the change of ln(throughput) from its lower to its higher end.</summary>
/// <param name="Gain">Expected change; positive when more threads bring more.</param>
/// <param name="Deviation">Standard deviation of that expectation.</param>
/// <param name="Weight">Information behind it, apart from the prior; zero when the step was never probed.</param>
internal readonly record struct StepEstimate(double Gain, double Deviation, double Weight);
