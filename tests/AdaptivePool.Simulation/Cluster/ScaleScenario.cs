namespace AdaptivePool.Simulation.Cluster;

/// <summary>A thousand backends and fifty balancers.</summary>
public static class ScaleScenario
{
    private const double MeanCpu = 0.020;

    /// <summary>Twice the load from 4 s on.</summary>
    public static ClusterScenario Spike { get; } = new()
    {
        Name = "scale",
        Description = "1,000 backends, 50 balancers: 40 % of the capacity, 80 % from 4 s on",
        Seconds = 8,
        ChangesAt = 4,
        Balancers = 50,
        Machines = [.. Enumerable.Repeat(new ClusterMachine { Cores = 2 }, 1000)],
        Rate = static t => (t < 4 ? 0.4 : 0.8) * 100_000,
        Cpu = static random => -MeanCpu * Math.Log(1 - random.NextDouble()),
    };
}
