using AdaptivePool.Simulation.Curves;

namespace AdaptivePool.Simulation.Losses;

/// <summary>A class in a situation that nobody has chosen: a curve, the noise of its throughput, and a size to start from. Always the same for a
/// seed.</summary>
/// <param name="Seed">The seed.</param>
/// <param name="Curve">The curve.</param>
/// <param name="Noise">Coefficient of variation of the throughput per 100 ms.</param>
/// <param name="Correlation">Autocorrelation of that noise.</param>
/// <param name="Start">Size at the start, in threads.</param>
public sealed record LossSituation(int Seed, RandomCurve Curve, double Noise, double Correlation, int Start)
{
    /// <summary>Least coefficient of variation.</summary>
    public const double LeastNoise = 0.05;

    /// <summary>Greatest coefficient of variation.</summary>
    public const double MostNoise = 0.5;

    /// <summary>Greatest autocorrelation; the least is none.</summary>
    public const double MostCorrelation = 0.9;

    /// <summary>Largest start, in threads.</summary>
    public const int LargestStart = 2_048;

    // The curve of a seed has a stream of its own.
    private const int Stream = 0x1055;

    /// <summary>The situation of a seed.</summary>
    public static LossSituation Of(int seed)
    {
        var random = new Random(seed ^ (Stream << 16));
        double noise = LeastNoise + ((MostNoise - LeastNoise) * random.NextDouble());
        double correlation = MostCorrelation * random.NextDouble();
        int start = (int)Math.Round(Math.Pow(LargestStart, random.NextDouble()));
        return new(seed, RandomCurve.Of(seed), noise, correlation, start);
    }

    /// <summary>Runs the whole policy of a work class in it.</summary>
    /// <param name="seconds">Length, in virtual seconds.</param>
    public ClimbRun Run(double seconds)
        => ClimbRun.RunClass(Curve.ToCurve(), new() { Noise = Noise, Correlation = Correlation, Seed = Seed, IsCpuKnown = false }, Start, seconds);

    /// <inheritdoc/>
    public override string ToString() => FormattableString.Invariant($"{Curve}; CV {100 * Noise:0} %, correlation {Correlation:0.0}, from {Start}");
}
