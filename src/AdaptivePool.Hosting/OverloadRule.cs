namespace AdaptivePool.Hosting;

/// <summary>How a backend notices that it is overloaded.</summary>
public enum OverloadRule
{
    /// <summary>Requests wait longer than a target for a while; see <see cref="Balancing.Overload.TargetOverloadPolicy"/>.</summary>
    Target,

    /// <summary>The average wait grows by more than a tenth in half a second; the founding document's rule, literal. See <see
    /// cref="Balancing.Overload.GrowthOverloadPolicy"/>.</summary>
    Growth,
}
