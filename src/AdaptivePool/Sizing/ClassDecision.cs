namespace AdaptivePool.Sizing;

/// <summary>What a class's policy says at one tick.</summary>
/// <param name="Limit">Limit to put in force, in threads, one or more.</param>
/// <param name="Reason">Why; <see cref="DecisionReason.Hold"/> when nothing happened.</param>
/// <param name="Trace">The terms behind the decision; null when nothing happened.</param>
internal readonly record struct ClassDecision(int Limit, DecisionReason Reason, ControllerTrace? Trace);
