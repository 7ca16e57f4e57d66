namespace AdaptivePool.SeedWave;

/// <summary>The state of a search in words, for the trace.</summary>
internal static class StateText
{
    /// <summary>Returns the state and its cause. A cause is reported once: afterwards it is <see cref="DecisionReason.Initial"/>, which means none.</summary>
    /// <param name="state">The state.</param>
    /// <param name="cause">The cause of the state; <see cref="DecisionReason.Initial"/> if there is nothing to report.</param>
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
