namespace AdaptivePool.Sizing;

/// <summary>The next size to try, or why there is none.</summary>
/// <param name="Size">Size to try; 0 when there is none.</param>
/// <param name="Reason">Ramp or model jump.</param>
/// <param name="Stop">Why there is none.</param>
internal readonly record struct StepChoice(int Size, DecisionReason Reason, RampStop Stop);
