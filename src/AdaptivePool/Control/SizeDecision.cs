namespace AdaptivePool.Control;

/// <summary>The decision of a controller: the next size, how long to measure it, and the reason.</summary>
/// <param name="Target">The size to apply, in threads.</param>
/// <param name="NextInterval">How long the next sample should last. Zero or less means 250 ms.</param>
/// <param name="Reason">The reason for the decision.</param>
/// <param name="Trace">The values behind the decision.</param>
public readonly record struct SizeDecision(int Target, TimeSpan NextInterval, DecisionReason Reason, ControllerTrace Trace)
{
    private static readonly TimeSpan s_usual = TimeSpan.FromMilliseconds(250);

    /// <summary>
    /// Whether <see cref="Target"/> is only a trial (the probed half of a wave, or a model jump before its verification). The controller has not confirmed a
    /// trial yet, however many samples it lasts. Default false.
    /// </summary>
    public bool IsTrial { get; init; }

    /// <summary>How long the next sample lasts.</summary>
    internal TimeSpan Interval => NextInterval > TimeSpan.Zero ? NextInterval : s_usual;

    /// <summary>Whether the size that was tried is still compared with the present size, which is in force. The answer comes with a later sample.</summary>
    internal bool IsAsking { get; init; }
}
