namespace AdaptivePool.Hosting;

/// <summary>How a backend detects that it is overloaded.</summary>
public enum OverloadRule
{
    /// <summary>Requests wait longer than a target for some time; see <see cref="Balancing.Overload.TargetOverloadPolicy"/>.</summary>
    Target,

    /// <summary>
    /// The average wait grows by more than a tenth in half a second: the literal rule of the founding document. See
    /// <see cref="Balancing.Overload.GrowthOverloadPolicy"/>.
    /// </summary>
    Growth,
}
