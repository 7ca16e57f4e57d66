using System.Globalization;
using AdaptivePool.Control;
using AdaptivePool.Simulation.Curves;

namespace AdaptivePool.Simulation.Controllers;

/// <summary>The controllers that are compared, by name.</summary>
public static class Comparators
{
    /// <summary>Ours as it ships: the whole policy of a work class, which begins low whatever it is told (ADR 65).</summary>
    public const string Ours = "adaptive";

    /// <summary>The same with the size in force from the beginning, as it is where the work changes.</summary>
    public const string InForce = "adaptive-in-force";

    /// <summary>Our search alone, as a controller that is told samples.</summary>
    public const string Search = "search";

    /// <summary>The runtime's own.</summary>
    public const string Runtime = "runtime";

    /// <summary>Knows the curve.</summary>
    public const string Oracle = "oracle";

    private const string SeedWave = "seed-wave";
    private const string Slope = "slope";
    private const string Gradient2 = "gradient2";
    private const string Fixed = "fixed-";
    private const int LargestFixed = 4096;

    /// <summary>What the names mean, for people.</summary>
    public const string Description =
        "adaptive (ours: the whole policy of a work class), adaptive-in-force (the same with the start in force, as after a change of the work), "
            + "search (our search alone), seed-wave (that of the founding document), runtime (that of the runtime's pool, by reflection), slope (control theory), gradient2 (Netflix's law), fixed-N, oracle (knows the curve)";

    /// <summary>Says why a name cannot be compared; null when it can.</summary>
    public static string? WhyNot(string name) => name switch
    {
        Ours or InForce or Search or SeedWave or Slope or Gradient2 or Oracle => null,
        Runtime => RuntimeController.WhyUnavailable,
        _ when FixedSize(name) is not null => null,
        _ => $"There is no controller '{name}'. Controllers: adaptive, adaptive-in-force, search, seed-wave, runtime, slope, gradient2, "
            + $"fixed-N (1 to {LargestFixed}), oracle.",
    };

    /// <summary>Runs one of them on a simulated pool.</summary>
    /// <param name="name">Its name.</param>
    /// <param name="curve">The curve at the beginning.</param>
    /// <param name="settings">The circumstances.</param>
    /// <param name="start">The size at the beginning, in threads.</param>
    /// <param name="seconds">Length, in virtual seconds.</param>
    /// <exception cref="ArgumentException">There is none of this name.</exception>
    /// <exception cref="PlatformNotSupportedException">This runtime lacks it.</exception>
    public static ClimbRun Run(string name, CostCurve curve, SimulationSettings settings, int start, double seconds) => name is Ours or InForce
        ? ClimbRun.RunClass(curve, settings, start, seconds, isInForce: name == InForce)
        : ClimbRun.Run(present => Create(name, present, settings.Seed), curve, settings, start, seconds);

    /// <summary>Creates a controller; what ships is none, but the policy of a class.</summary>
    /// <param name="name">Its name.</param>
    /// <param name="curve">The curve in force, for the one that may know it.</param>
    /// <param name="seed">Seed of its own chance, if it has any.</param>
    /// <exception cref="ArgumentException">There is none of this name.</exception>
    /// <exception cref="PlatformNotSupportedException">This runtime lacks it.</exception>
    public static IPoolController Create(string name, Func<CostCurve> curve, int seed) => name switch
    {
        Search => new HillClimbingController(),
        SeedWave => new HillClimbingController(HillClimbingOptions.SeedWave),
        Runtime => new RuntimeController(seed),
        Slope => new SlopeController(),
        Gradient2 => new Gradient2Controller(),
        Oracle => new OracleController(curve),
        _ => new FixedController(FixedSize(name)
            ?? throw new ArgumentException(WhyNot(name) ?? $"'{name}' is the policy of a class and no controller.", nameof(name))),
    };

    private static int? FixedSize(string name)
        => name.StartsWith(Fixed, StringComparison.Ordinal)
            && int.TryParse(name.AsSpan(Fixed.Length), NumberStyles.None, CultureInfo.InvariantCulture, out int size)
            && size is >= 1 and <= LargestFixed
            ? size
            : null;
}
