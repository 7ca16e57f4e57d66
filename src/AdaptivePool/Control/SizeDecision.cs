namespace AdaptivePool.Control;

/// <summary>What a controller decided: the size to use next, for how long to measure it, and why.</summary>
/// <param name="Target">Size to put in force, in threads.</param>
/// <param name="NextInterval">How long the next sample should last.</param>
/// <param name="Reason">Why.</param>
/// <param name="Trace">The terms behind the decision.</param>
public readonly record struct SizeDecision(int Target, TimeSpan NextInterval, DecisionReason Reason, ControllerTrace Trace)
{
    /// <summary>
    /// True when <see cref="Target"/> is only being tried (the probed half of a wave, a model jump before its verification): the controller does not stand by
    /// it yet, however many samples it lasts. Default false.
    /// </summary>
    public bool IsTrial { get; init; }

    /// <summary>The size in force is the present one, and the one that was tried is still compared with it: the answer comes with a later sample.</summary>
    internal bool IsAsking { get; init; }
}
