namespace AdaptivePool.Simulation.Curves;

/// <summary>
/// Items that compute, and wait for hardly anything: proportional up to the cores, then a loss for each further thread. Not <see cref="EmulatedResources"/>,
/// whose approximation of several cores gives as many threads as cores four fifths of the rate.
/// </summary>
/// <param name="Cores">Cores.</param>
/// <param name="CpuSeconds">CPU for an item, in seconds.</param>
/// <param name="DelaySeconds">Wait of an item, in seconds.</param>
/// <param name="PenaltyPerThread">Share that each thread beyond those that the cores need costs.</param>
public sealed record RandomBurner(int Cores, double CpuSeconds, double DelaySeconds, double PenaltyPerThread) : IRandomWork
{
    /// <summary>Least CPU for an item, in seconds.</summary>
    public const double LeastCpu = 20e-6;

    /// <summary>Most CPU for an item, in seconds.</summary>
    public const double MostCpu = 50e-3;

    /// <summary>Longest wait, as a share of the CPU: it still reads as computing.</summary>
    public const double MostWaits = 0.1;

    /// <summary>Least share that a thread too many costs, where it costs anything.</summary>
    public const double LeastPenalty = 1e-5;

    /// <summary>The greatest.</summary>
    public const double MostPenalty = 1e-2;

    /// <summary>The work of a seed.</summary>
    public static RandomBurner Of(int seed)
    {
        var draw = new RandomDraw(seed);
        double cpu = draw.Ratio(LeastCpu, MostCpu);
        int cores = draw.Cores();
        double delay = draw.OneIn(2) ? 0 : cpu * draw.Between(0, MostWaits);
        return new(cores, cpu, delay, draw.OneIn(3) ? 0 : draw.Ratio(LeastPenalty, MostPenalty));
    }

    /// <inheritdoc/>
    public CostCurve ToCurve(string? name = null)
        => CostCurve.Machine(name ?? ToString(), Throughput, Cores, CpuSeconds, (n, x) => n - (x * DelaySeconds), sleeps: true);

    /// <inheritdoc/>
    public override string ToString() => FormattableString.Invariant(
        $"{Cores} cores x {1000 * CpuSeconds:0.###} ms, waits {1000 * DelaySeconds:0.####} ms, {100 * PenaltyPerThread:0.####} % a thread");

    private double Throughput(double threads)
    {
        double enough = Cores * (CpuSeconds + DelaySeconds) / CpuSeconds;
        return Cores / CpuSeconds * Math.Min(1, threads / enough) / (1 + (PenaltyPerThread * Math.Max(0, threads - enough)));
    }
}
