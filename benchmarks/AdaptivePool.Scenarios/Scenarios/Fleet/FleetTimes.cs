namespace AdaptivePool.Scenarios.Scenarios.Fleet;

/// <summary>When what happens in a round, in seconds from its beginning.</summary>
/// <param name="WarmUp">How long the search may take before it counts.</param>
/// <param name="Steady">How long the steady part is.</param>
/// <param name="Change">How long it goes on after an instance has left, and again after another one has joined.</param>
public sealed record FleetTimes(double WarmUp, double Steady, double Change)
{
    /// <summary>When an instance leaves.</summary>
    public double Leaves => WarmUp + Steady;

    /// <summary>When another one joins.</summary>
    public double Joins => Leaves + Change;

    /// <summary>The end.</summary>
    public double End => Joins + Change;
}
