namespace AdaptivePool.Simulation.Fleet;

/// <summary>What gates of many instances before one database must reach. Written down before any law was tuned.</summary>
public static class FleetCriteria
{
    /// <summary>Share of the throughput of the best limit set by hand, divided by the number of instances.</summary>
    public const double ShareOfBest = 0.95;

    /// <summary>Farthest that the throughput of an instance may be from its fair share.</summary>
    public const double Spread = 0.2;

    /// <summary>Seconds after an instance has joined or left within which all are at their fair shares.</summary>
    public const double SettleSeconds = 5;

    /// <summary>Seconds of a window in which shares are compared after a change.</summary>
    public const double WindowSeconds = 1;

    /// <summary>Seeds that a law may be tuned on.</summary>
    public static IReadOnlyList<int> TuningSeeds { get; } = [1, 2, 3, 4, 5];

    /// <summary>Seeds that are run once, at the end.</summary>
    public static IReadOnlyList<int> FinalSeeds { get; } = [11, 12, 13, 14, 15, 16, 17, 18, 19, 20];
}
