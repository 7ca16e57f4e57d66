namespace AdaptivePool.Simulation;

/// <summary>
/// The chance in a simulated run: a lognormal factor of mean 1, first-order autoregressive, one value per tick; counts of variance = mean; and lognormal
/// factors of single readings. The readings have a stream of their own, so that asking for them changes nothing else.
/// </summary>
public sealed class SimulationNoise
{
    private const double FewEnoughToDraw = 40;
    private const int ReadingStream = 0x5EED;
    private readonly Random _random;
    private readonly Random _readings;
    private readonly double _logDeviation;
    private readonly double _correlation;
    private double _state;

    /// <summary>Creates the chance of a run.</summary>
    /// <param name="variation">Coefficient of variation of the factor.</param>
    /// <param name="correlation">Its autocorrelation from tick to tick.</param>
    /// <param name="seed">The seed.</param>
    public SimulationNoise(double variation, double correlation, int seed)
    {
        _random = new Random(seed);
        _readings = new Random(seed ^ ReadingStream);
        _correlation = correlation;
        _logDeviation = LogDeviation(variation);
        _state = _logDeviation * Gauss(_random);
        Factor = FactorOf(_state, _logDeviation);
    }

    /// <summary>Throughput of this tick over that of the curve.</summary>
    public double Factor { get; private set; }

    /// <summary>The next tick begins.</summary>
    public void NextTick()
    {
        _state = (_correlation * _state) + (Math.Sqrt(1 - (_correlation * _correlation)) * _logDeviation * Gauss(_random));
        Factor = FactorOf(_state, _logDeviation);
    }

    /// <summary>A count whose mean and variance are given.</summary>
    public long Count(double mean)
    {
        if (mean > FewEnoughToDraw)
        {
            return (long)Math.Max(0, Math.Round(mean + (Math.Sqrt(mean) * Gauss(_random))));
        }

        // Knuth's Poisson draw.
        double limit = Math.Exp(-mean);
        long count = -1;
        double product = 1;
        do
        {
            product *= _random.NextDouble();
            count++;
        }
        while (product > limit);
        return count;
    }

    /// <summary>Factor of one reading of a meter.</summary>
    /// <param name="variation">Its coefficient of variation.</param>
    public double Reading(double variation)
    {
        double deviation = LogDeviation(variation);
        return deviation == 0 ? 1 : FactorOf(deviation * Gauss(_readings), deviation);
    }

    private static double LogDeviation(double variation) => Math.Sqrt(Math.Log(1 + (variation * variation)));

    private static double FactorOf(double log, double deviation) => Math.Exp(log - (deviation * deviation / 2));

    private static double Gauss(Random random) => Math.Sqrt(-2 * Math.Log(1 - random.NextDouble())) * Math.Cos(2 * Math.PI * random.NextDouble());
}
