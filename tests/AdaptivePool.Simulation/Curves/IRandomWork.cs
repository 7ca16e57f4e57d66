namespace AdaptivePool.Simulation.Curves;

/// <summary>Work that was drawn, in as many numbers as were drawn; its curve is computed from them when it is needed.</summary>
public interface IRandomWork
{
    /// <summary>The curve.</summary>
    /// <param name="name">Its name; null: its numbers.</param>
    CostCurve ToCurve(string? name = null);
}
