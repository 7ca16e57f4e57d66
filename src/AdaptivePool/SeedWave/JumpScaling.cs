namespace AdaptivePool.SeedWave;

/// <summary>
/// Decides how far to jump down (seed 000, "Jumping down"): proportional to the absolute real part, scaled by the length of earlier jumps up per unit of
/// their real part. Before any jump up the scale is the wave's magnitude over the progress threshold.
/// </summary>
internal sealed class JumpScaling
{
    private const int Memory = 16;
    private double _mean;
    private int _count;

    /// <summary>Stores a jump up.</summary>
    /// <param name="jump">Its length, in the unit of the wave's magnitude (threads, or logarithm of the ratio). Over 0.</param>
    /// <param name="real">The real part that led to it; ignored when not over 0.</param>
    public void Add(double jump, double real)
    {
        if (jump > 0 && real > 0 && double.IsFinite(jump / real))
        {
            _count = Math.Min(_count + 1, Memory);
            _mean += ((jump / real) - _mean) / _count;
        }
    }

    /// <summary>Returns the length of a jump down.</summary>
    /// <param name="real">The real part that requires it; only its absolute value counts.</param>
    /// <param name="magnitude">The wave's magnitude. A jump is never shorter than the tested difference.</param>
    /// <param name="progress">The progress threshold that scales the first jump.</param>
    /// <param name="longest">Longest jump allowed; not below the magnitude.</param>
    public double Down(double real, double magnitude, double progress, double longest)
    {
        double perUnit = _count > 0 ? _mean : magnitude / progress;
        return Math.Clamp(Math.Abs(real) * perUnit, magnitude, Math.Max(magnitude, longest));
    }

    /// <summary>Forgets the earlier jumps.</summary>
    public void Clear() => (_mean, _count) = (0, 0);
}
