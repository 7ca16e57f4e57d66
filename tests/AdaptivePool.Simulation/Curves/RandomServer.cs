namespace AdaptivePool.Simulation.Curves;

/// <summary>A server of any curve, behind a class whose own CPU is known.</summary>
/// <param name="Curve">Its curve.</param>
/// <param name="Cores">Cores on this side.</param>
/// <param name="CpuSeconds">CPU for an item on this side, in seconds.</param>
public sealed record RandomServer(RandomCurve Curve, int Cores, double CpuSeconds) : IRandomWork
{
    /// <summary>Least share of the time of a lone thread that it computes.</summary>
    public const double LeastCpu = 0.02;

    /// <summary>The greatest.</summary>
    public const double MostCpu = 0.8;

    /// <summary>The server of a seed.</summary>
    public static RandomServer Of(int seed)
    {
        var curve = RandomCurve.Of(seed);
        var draw = new RandomDraw(seed);
        int cores = draw.Cores();

        // No thread computes for longer than its item takes, and no machine more than it has cores.
        double most = Math.Min(1 / curve.Throughput(1), cores / curve.Scale);
        return new(curve, cores, most * draw.Ratio(LeastCpu, MostCpu));
    }

    /// <inheritdoc/>
    public CostCurve ToCurve(string? name = null)
        => CostCurve.Machine(name ?? ToString(), Curve.Throughput, Cores, CpuSeconds, (_, x) => x * CpuSeconds, sleeps: false);

    /// <inheritdoc/>
    public override string ToString() => FormattableString.Invariant($"{Cores} cores x {1000 * CpuSeconds:0.###} ms before a server: {Curve}");
}
