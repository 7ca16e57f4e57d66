namespace AdaptivePool.Control;

/// <summary>
/// The model N / utilisation. Below the knee every thread keeps the same share of the machine busy, so the size that would use it up is N / u; above the knee
/// the model answers N and is no information. It is only a proposal: the gain decides afterwards.
/// </summary>
internal static class ModelJumpRule
{
    /// <summary>The size the model proposes, in threads; the present size when it has nothing to say.</summary>
    /// <param name="size">The present size, in threads.</param>
    /// <param name="utilisation">Own CPU use over own plus idle CPU; NaN when not known.</param>
    /// <param name="maxUtilisation">Utilisation from which the machine counts as used up.</param>
    /// <param name="maxRatio">Longest jump, as a ratio of the present size.</param>
    public static int Propose(int size, double utilisation, double maxUtilisation, double maxRatio)
    {
        if (!(utilisation > 0) || utilisation >= maxUtilisation)
        {
            return size;
        }

        return (int)Math.Min(Math.Min(size * maxRatio, Math.Ceiling(size / utilisation)), int.MaxValue);
    }

    /// <summary>True when the jump brought at least the wanted share of what the model promised, in logarithms.</summary>
    /// <param name="logGain">ln of throughput after over throughput before.</param>
    /// <param name="logRatio">ln of size after over size before.</param>
    /// <param name="minShare">Share of the promise that must have come true.</param>
    public static bool IsVerified(double logGain, double logRatio, double minShare)
        => logGain >= minShare * logRatio;
}
