using AdaptivePool.Simulation.Curves;

namespace AdaptivePool.Simulation.Losses;

/// <summary>
/// A class in a situation that nobody has chosen: its work, the noise of its throughput, and a size to start from. Always the same for a seed.
/// </summary>
/// <param name="Seed">The seed.</param>
/// <param name="Work">The work.</param>
/// <param name="IsCpuKnown">Whether CPU use and blocking can be read, as where the product runs usually.</param>
/// <param name="Noise">Coefficient of variation of the throughput per 100 ms.</param>
/// <param name="Correlation">Autocorrelation of that noise.</param>
/// <param name="Start">Size at the start, in threads.</param>
/// <param name="IsInForce">Whether the start is in force, as after a change of the work; else it is a wish, and the class begins as in a pool.</param>
public sealed record LossSituation(int Seed, IRandomWork Work, bool IsCpuKnown, double Noise, double Correlation, int Start, bool IsInForce)
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

    // Computes, sleeps, waits for channels, waits for a server of any curve.
    private const int KnownWorks = 4;

    /// <summary>The situation of a seed.</summary>
    /// <param name="seed">The seed.</param>
    /// <param name="isCpuKnown">Whether CPU use can be read; null: in four of five.</param>
    public static LossSituation Of(int seed, bool? isCpuKnown = null)
    {
        var random = new Random(seed ^ (Stream << 16));
        double noise = LeastNoise + ((MostNoise - LeastNoise) * random.NextDouble());
        double correlation = MostCorrelation * random.NextDouble();
        int start = (int)Math.Round(Math.Pow(LargestStart, random.NextDouble()));
        bool isInForce = random.Next(2) == 0;
        int work = random.Next(KnownWorks);
        bool isKnown = isCpuKnown ?? random.Next(KnownWorks + 1) > 0;
        return new(seed, isKnown ? Known(work, seed) : RandomCurve.Of(seed), isKnown, noise, correlation, start, isInForce);
    }

    /// <summary>Runs the whole policy of a work class in it.</summary>
    /// <param name="seconds">Length, in virtual seconds.</param>
    public ClimbRun Run(double seconds)
    {
        SimulationSettings settings = new() { Noise = Noise, Correlation = Correlation, Seed = Seed, IsCpuKnown = IsCpuKnown };
        return ClimbRun.RunClass(Work.ToCurve(), settings, Start, seconds, IsInForce);
    }

    /// <inheritdoc/>
    public override string ToString()
        => FormattableString.Invariant($"{Work}; CV {100 * Noise:0} %, correlation {Correlation:0.0}, from {Start}{(IsInForce ? "" : ", as in a pool")}");

    private static IRandomWork Known(int work, int seed) => work switch
    {
        0 => RandomBurner.Of(seed),
        1 => RandomResources.Sleeping(seed),
        2 => RandomResources.Serving(seed),
        _ => RandomServer.Of(seed),
    };
}
