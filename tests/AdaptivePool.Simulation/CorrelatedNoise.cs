namespace AdaptivePool.Simulation;

/// <summary>Logarithm of a lognormal factor of mean near 1, autoregressive of first order: noise as throughput has it.</summary>
internal sealed class CorrelatedNoise
{
    private readonly Random _random;
    private readonly double _deviation;
    private readonly double _correlation;
    private double _state;

    public CorrelatedNoise(double variation, double correlation, int seed)
    {
        _random = new Random(seed);
        _deviation = Math.Sqrt(Math.Log(1 + (variation * variation)));
        _correlation = correlation;
        _state = _deviation * Gauss();
    }

    public double Next() => _state = (_correlation * _state) + (Math.Sqrt(1 - (_correlation * _correlation)) * _deviation * Gauss());

    private double Gauss() => Math.Sqrt(-2 * Math.Log(1 - _random.NextDouble())) * Math.Cos(2 * Math.PI * _random.NextDouble());
}
