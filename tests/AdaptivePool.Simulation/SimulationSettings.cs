using AdaptivePool.Simulation.Curves;

namespace AdaptivePool.Simulation;

/// <summary>The circumstances of a simulated run.</summary>
public sealed record SimulationSettings
{
    /// <summary>Coefficient of variation of the throughput per tick of 100 ms, beside counting noise. Default 0.1.</summary>
    public double Noise { get; init; } = 0.1;

    /// <summary>Autocorrelation of that noise from tick to tick, 0 to less than 1. Default 0.6.</summary>
    public double Correlation { get; init; } = 0.6;

    /// <summary>Seed of all chance. Default 1.</summary>
    public int Seed { get; init; } = 1;

    /// <summary>Highest size that may be decided. Default 2,048.</summary>
    public int MaxTarget { get; init; } = 2048;

    /// <summary>Whether the controller is told of CPU and blocking where the curve knows them. Default true.</summary>
    public bool IsCpuKnown { get; init; } = true;

    /// <summary>Coefficient of variation of each sample's utilisation. Default 0: exact, which is kinder than life.</summary>
    public double UtilisationNoise { get; init; }

    /// <summary>Items offered per second; null: more than any size can do.</summary>
    public double? ArrivalsPerSecond { get; init; }

    /// <summary>Items that wait in the queue of a saturated pool. Default 100,000.</summary>
    public int SaturatedQueue { get; init; } = 100_000;

    /// <summary>Clients that may send work at once; null: not known.</summary>
    public int? Connections { get; init; }

    /// <summary>Workload changes, in order of time.</summary>
    public IReadOnlyList<WorkloadChange> Changes { get; init; } = [];

    /// <summary>X*: what the best size delivers of a curve under these circumstances, per second.</summary>
    public double BestRate(CostCurve curve) => Math.Min(curve.Best, ArrivalsPerSecond ?? double.PositiveInfinity);

    /// <summary>N*: the smallest size that delivers 0.99 of the curve's best, or all that is offered if that is less.</summary>
    public int BestSize(CostCurve curve) => ArrivalsPerSecond is { } arrivals ? Math.Min(curve.SmallestBestSize, curve.SizeFor(arrivals))
        : curve.SmallestBestSize;
}
