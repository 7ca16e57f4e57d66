using AdaptivePool.Control;

namespace AdaptivePool.Admission;

/// <summary>The limit of an adaptive gate has changed, or would have.</summary>
/// <param name="trace">From, to and why.</param>
/// <param name="isApplied">Whether the limit was changed.</param>
public sealed class GateLimitEventArgs(ControllerTrace trace, bool isApplied) : EventArgs
{
    /// <summary>From, to and why, in transactions.</summary>
    public ControllerTrace Trace { get; } = trace;

    /// <summary>Whether the limit was changed; false in monitor-only mode, where it would have been.</summary>
    public bool IsApplied { get; } = isApplied;
}
