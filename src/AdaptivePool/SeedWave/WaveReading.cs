namespace AdaptivePool.SeedWave;

/// <summary>The result of one look at the two waves, size and throughput.</summary>
/// <param name="Real">Real part of throughput harmonic over size harmonic, in completions per second per thread. Positive: both move together.</param>
/// <param name="Imaginary">Imaginary part of the same ratio: drift, lag and noise, but no settled effect of size.</param>
/// <param name="MeanSize">Mean size of the window, in threads.</param>
/// <param name="MeanThroughput">Mean throughput of the window, in completions per second.</param>
internal readonly record struct WaveReading(double Real, double Imaginary, double MeanSize, double MeanThroughput)
{
    /// <summary>False when the window holds no wave or no completion. Then nothing may be learned from it.</summary>
    public bool IsUsable => MeanThroughput > 0 && double.IsFinite(Real) && double.IsFinite(Imaginary);

    /// <summary>
    /// <see cref="Real"/> with both waves divided by their means: per cent of throughput for one per cent of threads. One below a knee, zero on a plateau,
    /// negative on a falling curve.
    /// </summary>
    public double Elasticity => Real * MeanSize / MeanThroughput;

    /// <summary><see cref="Imaginary"/>, normalised like <see cref="Elasticity"/>: an estimate of its noise from the same samples.</summary>
    public double Quadrature => Imaginary * MeanSize / MeanThroughput;
}
