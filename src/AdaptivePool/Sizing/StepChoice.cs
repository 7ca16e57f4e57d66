namespace AdaptivePool.Sizing;

/// <summary>The next size to try.</summary>
/// <param name="Size">Size to try; 0 when there is none.</param>
/// <param name="Reason">Ramp or model jump.</param>
internal readonly record struct StepChoice(int Size, DecisionReason Reason)
{
    /// <summary>No size to try.</summary>
    public static StepChoice None => new(0, DecisionReason.Hold);
}
