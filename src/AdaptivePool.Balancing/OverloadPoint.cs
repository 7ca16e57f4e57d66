using System.Globalization;

namespace AdaptivePool.Balancing;

/// <summary>The request rate at which a backend detected that it is overloaded (OP), in requests per second.</summary>
/// <remarks>F. Bahadur and others, "The Double Edge Sword Based Distributed Executor Service" (2021), table 1.</remarks>
public readonly record struct OverloadPoint
{
    /// <summary>The highest valid rate. Higher rates are treated as mistakes.</summary>
    public const double Highest = 1e9;

    /// <summary>Creates a point from a rate.</summary>
    /// <param name="perSecond">Requests per second; above 0 and at most <see cref="Highest"/>.</param>
    /// <exception cref="ArgumentOutOfRangeException">The rate is not a number, or is outside the range.</exception>
    public OverloadPoint(double perSecond) => PerSecond = IsPossible(perSecond)
        ? perSecond
        : throw new ArgumentOutOfRangeException(
            nameof(perSecond), perSecond, $"An overload point is above 0 and at most {Highest.ToString(CultureInfo.InvariantCulture)} requests per second.");

    /// <summary>Requests per second.</summary>
    public double PerSecond { get; }

    /// <summary>The place value of its first digit, the document's "number placement": 1000 for 1200, 100 for 490.</summary>
    public double Placement => PlacementOf(PerSecond);

    /// <summary>
    /// The rate that a balancer may send: the point minus a tenth of its <see cref="Placement"/> (equation 1). 1200 gives 1100, 490 gives 480.
    /// </summary>
    public double AdmittedPerSecond => PerSecond - (Placement / StepDivisor);

    /// <summary>A step down is the placement divided by this.</summary>
    internal const double StepDivisor = 10;

    /// <summary>Whether a rate can be an overload point.</summary>
    /// <param name="perSecond">Requests per second.</param>
    public static bool IsPossible(double perSecond) => perSecond is > 0 and <= Highest;

    /// <summary>Returns the place value of a rate's first digit.</summary>
    private static double PlacementOf(double rate)
    {
        double placement = Math.Pow(10, Math.Floor(Math.Log10(rate)));

        // The logarithm of a power of ten may be rounded to the wrong side.
        return placement * 10 <= rate ? placement * 10 : placement > rate ? placement / 10 : placement;
    }
}
