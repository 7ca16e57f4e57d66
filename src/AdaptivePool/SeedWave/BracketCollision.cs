namespace AdaptivePool.SeedWave;

/// <summary>What happens to a jump that would pass a size already known to be too small or too large.</summary>
public enum BracketCollision
{
    /// <summary>It goes to the middle between the two bounds.</summary>
    Midpoint,

    /// <summary>It is made in full and the bound that it passes is forgotten.</summary>
    ForgetBound,
}
