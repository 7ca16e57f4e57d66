namespace AdaptivePool.SeedWave;

/// <summary>The state of a search in words, for the trace.</summary>
internal static class StateText
{
    /// <summary>The state and what led to it. A cause is told once: it is <see cref="DecisionReason.Initial"/>, none, afterwards.</summary>
    /// <param name="state">The state.</param>
    /// <param name="cause">Why it was entered; <see cref="DecisionReason.Initial"/> for nothing worth telling.</param>
    public static string Tell(ControllerState state, ref DecisionReason cause)
    {
        string name = Enum.GetName(state)!;
        if (cause == DecisionReason.Initial)
        {
            return name;
        }

        string text = $"{name} after {cause}";
        cause = DecisionReason.Initial;
        return text;
    }
}
