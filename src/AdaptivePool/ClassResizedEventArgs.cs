using AdaptivePool.Control;

namespace AdaptivePool;

/// <summary>Tells that a limit was written, and why.</summary>
public sealed class ClassResizedEventArgs(ControllerTrace trace) : EventArgs
{
    /// <summary>The decision.</summary>
    public ControllerTrace Trace { get; } = trace;
}
