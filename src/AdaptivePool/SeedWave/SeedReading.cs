namespace AdaptivePool.SeedWave;

/// <summary>One reading of the wave as the founding document uses it. The default value is no reading.</summary>
/// <param name="Real">Real part of the ratio of the normalised first harmonics.</param>
/// <param name="Noise">Absolute imaginary part of the same ratio: drift, lag and noise, but no settled effect of size.</param>
/// <param name="IsUsable">False when the window holds no wave, no completion or no response that could be a divisor.</param>
internal readonly record struct SeedReading(double Real, double Noise, bool IsUsable)
{
    // A signal of three times its noise counts in full (the runtime's own controller uses the same ratio).
    private const double SureSignalToNoise = 3;

    // A smaller response is rounding error, and its inverse would be an arbitrary number.
    private const double LeastResponse = 1e-9;

    /// <summary>How clearly the real part exceeds the noise, 0 to 1.</summary>
    public double Confidence => Noise > 0 ? Math.Min(1, Math.Abs(Real) / (SureSignalToNoise * Noise)) : 1;

    /// <summary>Takes one look at the waves.</summary>
    /// <param name="wave">The ratio of throughput to size.</param>
    /// <param name="isInverted">Whether the result is size over throughput.</param>
    public static SeedReading Of(in WaveReading wave, bool isInverted)
    {
        if (!wave.IsUsable)
        {
            return default;
        }

        if (!isInverted)
        {
            return new(wave.Elasticity, Math.Abs(wave.Quadrature), true);
        }

        // 1 / (e + iq) = (e - iq) / (e^2 + q^2)
        double square = (wave.Elasticity * wave.Elasticity) + (wave.Quadrature * wave.Quadrature);
        return square > LeastResponse * LeastResponse ? new(wave.Elasticity / square, Math.Abs(wave.Quadrature) / square, true) : default;
    }

    /// <summary>Returns what this reading adds to the progress.</summary>
    /// <param name="weighByConfidence">Whether the real part is weighted by its confidence.</param>
    public double Step(bool weighByConfidence) => weighByConfidence ? Real * Confidence : Real;
}
