namespace AdaptivePool.Sizing;

/// <summary>One word of the loan voice.</summary>
/// <param name="Action">What to do.</param>
/// <param name="Limit">Size to lend up to; 0 otherwise.</param>
/// <param name="BeginEpisode">The stall has just begun to count as an episode.</param>
internal readonly record struct LoanStep(LoanAction Action, int Limit = 0, bool BeginEpisode = false);
