namespace AdaptivePool.Simulation.Curves;

/// <summary>
/// A curve with one top that nobody has drawn by hand: X(n) = scale (n / top)^rise up to the top, scale (top / n)^fall beyond it.
/// </summary>
/// <param name="Rise">Exponent of the rise, more than 0 to 1: 1 is proportional.</param>
/// <param name="Top">Where the top is, in threads.</param>
/// <param name="Fall">Exponent of the fall: 0 is a plateau, 1 loses half when the threads double.</param>
/// <param name="Scale">X*, in completions per second.</param>
public sealed record RandomCurve(double Rise, int Top, double Fall, double Scale) : IRandomWork
{
    /// <summary>Least exponent of the rise.</summary>
    public const double LeastRise = 0.3;

    /// <summary>Least exponent of the fall, plateaus aside.</summary>
    public const double LeastFall = 0.05;

    /// <summary>Greatest exponent of the fall.</summary>
    public const double MostFall = 1.5;

    /// <summary>Farthest top, in threads.</summary>
    public const double LargestTop = 1000;

    /// <summary>Least X*, in completions per second.</summary>
    public const double LeastScale = 200;

    /// <summary>Greatest X*, in completions per second.</summary>
    public const double MostScale = 20_000;

    private const int OneInSoManyIsAPlateau = 3;

    /// <summary>The curve of a seed: always the same, and drawn by nobody.</summary>
    public static RandomCurve Of(int seed)
    {
        var random = new Random(seed);
        double Ratio(double low, double high) => low * Math.Pow(high / low, random.NextDouble());
        double rise = LeastRise + ((1 - LeastRise) * random.NextDouble());
        int top = (int)Math.Round(Ratio(1, LargestTop));
        double fall = random.Next(OneInSoManyIsAPlateau) == 0 ? 0 : LeastFall + ((MostFall - LeastFall) * random.NextDouble());
        return new(rise, top, fall, Math.Round(Ratio(LeastScale, MostScale)));
    }

    /// <inheritdoc/>
    public CostCurve ToCurve(string? name = null) => CostCurve.Formula(name ?? ToString(), Throughput);

    /// <summary>Completions per second of a size.</summary>
    public double Throughput(double threads) => Scale * (threads <= Top ? Math.Pow(threads / Top, Rise) : Math.Pow(Top / threads, Fall));

    /// <inheritdoc/>
    public override string ToString() => FormattableString.Invariant($"rise {Rise:F2} to {Scale:F0}/s at {Top}, fall {Fall:F2}");
}
