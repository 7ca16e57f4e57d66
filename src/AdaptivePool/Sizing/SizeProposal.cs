namespace AdaptivePool.Sizing;

/// <summary>What one rule proposes.</summary>
/// <param name="Limit">The proposed limit, in threads.</param>
/// <param name="Reason">The reason.</param>
/// <param name="RatePerSecond">Measured throughput on which the proposal is based; 0 when none was measured.</param>
/// <param name="Gain">Natural logarithm of the measured gain; NaN when nothing was compared.</param>
/// <param name="Noise">Noise of the gain; NaN when not known.</param>
internal readonly record struct SizeProposal(int Limit, DecisionReason Reason, double RatePerSecond = 0, double Gain = double.NaN, double Noise = double.NaN);
