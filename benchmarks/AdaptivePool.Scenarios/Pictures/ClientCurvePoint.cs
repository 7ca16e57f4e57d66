using AdaptivePool.Scenarios.Harness;

namespace AdaptivePool.Scenarios.Pictures;

/// <summary>What the rounds showed for one number of clients.</summary>
/// <param name="Clients">Number of clients.</param>
/// <param name="Values">One value per round, lowest first; at least one.</param>
public sealed record ClientCurvePoint(int Clients, IReadOnlyList<double> Values)
{
    /// <summary>The value in the middle; of an even number the mean of the two in the middle.</summary>
    public double Median => Bootstrap.Median(Values);
}
