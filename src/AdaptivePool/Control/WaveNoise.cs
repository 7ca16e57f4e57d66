namespace AdaptivePool.Control;

/// <summary>
/// How noisy one period of the wave is, as the variance of its contrast (logarithm of throughput at B over throughput at A). Two sources, both free: the
/// quadrature of every period, which sees the same noise and no effect of size but sees drift as well, and the scatter of successive periods of the same wave,
/// which is the real thing. The quadrature counts as <see cref="PriorCount"/> observations, so it leads at the start and the scatter takes over.
/// </summary>
internal sealed class WaveNoise
{
    /// <summary>Weight of the quadrature and of the counting noise, in observations of scatter.</summary>
    public const double PriorCount = 3;

    // Variance of a period before anything is known, besides that of counting: a coefficient of variation of 17 %. Lower believes the first readings of a noisy
    // pool too much.
    private const double FirstGuess = 0.03;
    private const double Memory = 40;
    private double _periods;
    private double _quadrature;
    private double _scatter;
    private double _scatterCount;

    /// <summary>Takes the readings of one period.</summary>
    /// <param name="contrast">Elasticity times the logarithm of the wave's ratio.</param>
    /// <param name="quadrature">Quadrature times the logarithm of the wave's ratio.</param>
    /// <param name="previousContrast">Contrast of the period before, when it was the same wave; NaN otherwise.</param>
    public void Add(double contrast, double quadrature, double previousContrast)
    {
        _periods++;
        _quadrature += ((quadrature * quadrature) - _quadrature) / Math.Min(_periods, Memory);
        if (!double.IsNaN(previousContrast))
        {
            double difference = contrast - previousContrast;
            _scatterCount = Math.Min(_scatterCount + 1, Memory);
            _scatter += ((difference * difference / 2) - _scatter) / _scatterCount;
        }
    }

    /// <summary>Variance of the contrast of one period.</summary>
    /// <param name="completions">Completions of one sample: before anything is known the noise of counting, 1 / completions per sample, stands in. Infinite for
    /// the noise that more completions would not remove.</param>
    public double Variance(double completions)
    {
        double counting = 1 / Math.Max(1, completions);
        double prior = ((PriorCount * (counting + FirstGuess)) + (_periods * _quadrature)) / (PriorCount + _periods);
        double variance = ((PriorCount * prior) + (_scatterCount * _scatter)) / (PriorCount + _scatterCount);

        // Even a perfectly regular pool cannot be read finer than a fraction of one completion.
        return Math.Max(variance, 0.01 * counting * counting);
    }
}
