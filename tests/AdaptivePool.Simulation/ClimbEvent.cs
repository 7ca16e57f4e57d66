using AdaptivePool.Control;

namespace AdaptivePool.Simulation;

/// <summary>A decision that changed the size or the state of a controller.</summary>
/// <param name="Time">Virtual time, in seconds.</param>
/// <param name="Target">Size from then on.</param>
/// <param name="IsTrial">Whether the size is only being tried.</param>
/// <param name="Reason">Why.</param>
/// <param name="State">State of the controller in words.</param>
public sealed record ClimbEvent(double Time, int Target, bool IsTrial, DecisionReason Reason, string State)
{
    /// <summary>What the comparison said, as a logarithm of throughput; not-a-number without one.</summary>
    public double Gain { get; init; } = double.NaN;

    /// <summary>Its standard deviation.</summary>
    public double Noise { get; init; } = double.NaN;
}
