namespace AdaptivePool.Sizing;

/// <summary>What a class's policy says at one tick.</summary>
/// <param name="Limit">Limit to put in force, in threads, one or more.</param>
/// <param name="Trace">The terms behind the decision; null when nothing happened.</param>
internal readonly record struct ClassDecision(int Limit, ControllerTrace? Trace)
{
    /// <summary>Why; <see cref="DecisionReason.Hold"/> when nothing happened.</summary>
    public DecisionReason Reason => Trace?.Reason ?? DecisionReason.Hold;
}
