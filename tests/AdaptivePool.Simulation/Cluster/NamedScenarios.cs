namespace AdaptivePool.Simulation.Cluster;

/// <summary>
/// Eight loads that have names in public discussions of balancers: 20 machines of two cores, four balancers, requests of 20 ms of CPU time on average with an
/// exponential distribution. 2,000 requests a second are all that the machines can do. They were written down before ours was tuned.
/// </summary>
public static class NamedScenarios
{
    private const int Machines = 20;
    private const double MeanCpu = 0.020;
    private const double Capacity = 2000;

    /// <summary>Three quarters of the capacity.</summary>
    public static ClusterScenario Steady { get; } = Create("steady", "75 % of the capacity", _ => 0.75 * Capacity);

    /// <summary>A rise to nearly all of the capacity.</summary>
    public static ClusterScenario Spike { get; } =
        Create("spike", "60 % of the capacity, 95 % from 6 to 8 s", t => (t is >= 6 and < 8 ? 0.95 : 0.6) * Capacity);

    /// <summary>Machines that come new, and need time to get fast.</summary>
    public static ClusterScenario SlowStart { get; } =
        Create("slow-start", "65 %; four machines come at 4 s, five times slower at first, at full speed at 8 s", _ => 0.65 * Capacity) with
    {
        IsUp = static (machine, t) => machine >= 4 || t >= 4,
        Slowness = static (machine, t) => machine < 4 ? Math.Clamp(5 - (t - 4), 1, 5) : 1,
    };

    /// <summary>Others on the same hardware.</summary>
    public static ClusterScenario NoisyNeighbour { get; } =
        Create("noisy-neighbour", "65 %; each machine is three times slower for one second in ten, not all at once", _ => 0.65 * Capacity) with
    {
        Slowness = static (machine, t) => (int)(t + (machine * 3.7)) % 10 == 0 ? 3 : 1,
    };

    /// <summary>A rack that fails.</summary>
    public static ClusterScenario CorrelatedFailure { get; } =
        Create("correlated-failure", "60 %; a quarter of the machines is down from 6 to 9 s", _ => 0.6 * Capacity) with
    {
        IsUp = static (machine, t) => machine >= 5 || t is < 6 or >= 9,
    };

    /// <summary>Machines that still answer, but slowly.</summary>
    public static ClusterScenario BrownOut { get; } = Create("brown-out", "65 %; two machines are four times slower from 4 to 9 s", _ => 0.65 * Capacity) with
    {
        Slowness = static (machine, t) => machine < 2 && t is >= 4 and < 9 ? 4 : 1,
    };

    /// <summary>Machines of two kinds.</summary>
    public static ClusterScenario Heterogeneous { get; } =
        Create("heterogeneous", "75 % of what is left where a fifth of the machines is three times slower", _ => 0.75 * Capacity * (0.8 + (0.2 / 3))) with
    {
        Slowness = static (machine, _) => machine < 4 ? 3 : 1,
    };

    /// <summary>A release: machine after machine gets nothing new for a while.</summary>
    public static ClusterScenario Drain { get; } =
        Create("drain", "70 %; two machines at a time get nothing new for a second, all in turn", _ => 0.7 * Capacity) with
    {
        IsDrained = static (machine, t) => t >= 2 && (int)(t - 2) % 10 == machine / 2,
    };

    /// <summary>All of them.</summary>
    public static IReadOnlyList<ClusterScenario> All { get; } = [Steady, Spike, SlowStart, NoisyNeighbour, CorrelatedFailure, BrownOut, Heterogeneous, Drain];

    private static ClusterScenario Create(string name, string description, Func<double, double> rate) => new()
    {
        Name = name,
        Description = description,
        Seconds = 12,
        Balancers = 4,
        Machines = [.. Enumerable.Repeat(new ClusterMachine { Cores = 2 }, Machines)],
        Rate = rate,
        Cpu = static random => -MeanCpu * Math.Log(1 - random.NextDouble()),
    };
}
