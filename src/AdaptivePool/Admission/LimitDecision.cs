namespace AdaptivePool.Admission;

/// <summary>What the adaptive limit wants.</summary>
/// <param name="Limit">Limit to be in force; 0 leaves it off.</param>
/// <param name="LookAgain">When to look at the gate again.</param>
/// <param name="Reason">Why.</param>
/// <param name="Trace">The terms behind it; <see langword="null"/> when nothing was decided.</param>
internal readonly record struct LimitDecision(int Limit, TimeSpan LookAgain, DecisionReason Reason, ControllerTrace? Trace = null);
