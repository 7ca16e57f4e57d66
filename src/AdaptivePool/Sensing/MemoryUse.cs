namespace AdaptivePool.Sensing;

/// <summary>Memory that is used of a limit, in bytes.</summary>
/// <param name="Used">NaN when it is not known.</param>
/// <param name="Limit">NaN when it is not known.</param>
internal readonly record struct MemoryUse(double Used, double Limit)
{
    public static MemoryUse Unknown => new(double.NaN, double.NaN);

    /// <summary>Whether both are known.</summary>
    public bool IsKnown => !double.IsNaN(Used) && Limit > 0;

    /// <summary>Use as a share of the limit.</summary>
    public double Share => Used / Limit;
}
