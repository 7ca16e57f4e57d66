namespace AdaptivePool.Balancing;

/// <summary>How far a balancer stays below an overload point.</summary>
public enum RateStep
{
    /// <summary>A tenth of this point's placement: 1000 gives 900, 900 gives 890.</summary>
    EachPoint,

    /// <summary>A tenth of the placement that the first point had, while the overload lasts: 1000 gives 900, 900 gives 800.</summary>
    FirstPoint,
}
