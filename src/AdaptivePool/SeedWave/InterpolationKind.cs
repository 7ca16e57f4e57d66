namespace AdaptivePool.SeedWave;

/// <summary>How throughput is expected to run between two known sizes.</summary>
public enum InterpolationKind
{
    /// <summary>A straight line between the two neighbours.</summary>
    Linear,

    /// <summary>A monotone cubic spline (PCHIP) through all known points; a straight line while there are fewer than three.</summary>
    Spline,
}
