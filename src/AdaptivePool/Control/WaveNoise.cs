namespace AdaptivePool.Control;

/// <summary>
/// The noise of one period of the wave, as the variance of its contrast (logarithm of throughput at B over throughput at A). It has two sources, and neither
/// needs further samples. The quadrature of every period has the same noise and no effect of size, but it also includes drift. The scatter of successive
/// periods of the same wave is the noise itself. The quadrature counts as <see cref="PriorCount"/> observations, so it leads at the start and the scatter
/// takes over. Immutable.
/// </summary>
internal sealed record WaveNoise
{
    /// <summary>Weight of the quadrature and of the counting noise, in observations of scatter.</summary>
    public const double PriorCount = 3;

    // Variance of a period before anything is known, in addition to that of counting: a coefficient of variation of 17 %. A lower value believes the first
    // readings of a noisy pool too much.
    private const double FirstGuess = 0.03;
    private const double Memory = 40;

    private WaveNoise()
    {
    }

    /// <summary>The state before the first period.</summary>
    public static WaveNoise Unknown { get; } = new();

    private double Periods { get; init; }

    private double Quadrature { get; init; }

    private double ScatterCount { get; init; }

    private double Scatter { get; init; }

    private WaveShape LastWave { get; init; }

    private double LastContrast { get; init; }

    /// <summary>Returns the state after one more period.</summary>
    /// <param name="wave">The wave. The scatter is that of successive periods of the same wave.</param>
    /// <param name="contrast">Elasticity times the logarithm of the wave's ratio.</param>
    /// <param name="quadrature">Quadrature times the logarithm of the wave's ratio.</param>
    public WaveNoise With(in WaveShape wave, double contrast, double quadrature)
    {
        double periods = Periods + 1;
        double difference = contrast - LastContrast;
        double count = Math.Min(ScatterCount + 1, Memory);
        bool isSame = wave == LastWave;
        return new()
        {
            Periods = periods,
            Quadrature = Quadrature + (((quadrature * quadrature) - Quadrature) / Math.Min(periods, Memory)),
            ScatterCount = isSame ? count : ScatterCount,
            Scatter = isSame ? Scatter + (((difference * difference / 2) - Scatter) / count) : Scatter,
            LastWave = wave,
            LastContrast = contrast,
        };
    }

    /// <summary>Variance of the contrast of one period.</summary>
    /// <param name="completions">Completions of one sample. Before anything is known the noise of counting, 1 / completions per sample, is used. Infinite for
    /// the noise that more completions would not remove.</param>
    public double Variance(double completions)
    {
        double counting = 1 / Math.Max(1, completions);
        double prior = ((PriorCount * (counting + FirstGuess)) + (Periods * Quadrature)) / (PriorCount + Periods);
        double variance = ((PriorCount * prior) + (ScatterCount * Scatter)) / (PriorCount + ScatterCount);

        // Even a perfectly regular pool cannot be read more finely than a fraction of one completion.
        return Math.Max(variance, 0.01 * counting * counting);
    }
}
