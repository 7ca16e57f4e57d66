namespace AdaptivePool.Simulation.Cluster;

/// <summary>The founding document's cluster and its two loads, and what was added to them: a quad core and a machine of 18 cores, tasks that sleep 100
/// ms.</summary>
/// <remarks>
/// The document does not say what threads cost. These costs put the rate at which "pool = rate" uses the quad core up at 950 a second, because there 900 was
/// fine and 1,000 was not, and the larger machine's at 2,040.
/// </remarks>
public static class FoundingScenarios
{
    private const double CpuPerRequest = 0.0002;
    private const double CpuPerThread = 4.22e-6;

    /// <summary>The quad core.</summary>
    public static ClusterMachine Low { get; } = new() { Cores = 4, Threads = 4, CpuPerRequest = CpuPerRequest, CpuPerThread = CpuPerThread };

    /// <summary>The larger machine.</summary>
    public static ClusterMachine High { get; } = Low with { Cores = 18, Threads = 18 };

    /// <summary>What a request takes where nothing waits, in seconds: its sleep, and the CPU time at the low machine's limit.</summary>
    public const double NoLoadSeconds = 0.1042;

    /// <summary>Requests per second that both machines can bear together.</summary>
    public static double Capacity => Low.CapacityWherePoolIsRate + High.CapacityWherePoolIsRate;

    /// <summary>From 1,400 a second, 200 more each minute.</summary>
    public static ClusterScenario Gradual { get; } =
        Create("gradual", "1,400 requests a second, 200 more each minute", 240, t => 1400 + (200 * Math.Floor(t / 60)));

    /// <summary>1,000 a second, 2,000 from 30 s on.</summary>
    public static ClusterScenario Spike { get; } =
        Create("spike", "1,000 requests a second, 2,000 from 30 s on", 90, t => t < 30 ? 1000 : 2000) with { ChangesAt = 30 };

    /// <summary>Up to 90 % of what both machines can bear, twice.</summary>
    public static ClusterScenario Tight { get; } =
        Create("tight", "1,000, then 90 % of the capacity, 1,500, and 90 % again, 30 s each", 120, t => t < 30 ? 1000 : t < 60 ? 0.9 * Capacity : t < 90 ? 1500
            : 0.9 * Capacity);

    /// <summary>90 % of what both machines can bear.</summary>
    public static ClusterScenario Full { get; } = Create("full", "90 % of the capacity of both machines", 60, _ => 0.9 * Capacity) with { WarmUp = 10 };

    /// <summary>The low machine at a quarter of its speed for 20 s.</summary>
    public static ClusterScenario BrownOut { get; } =
        Create("brown-out", "2,000 requests a second; the low machine works at a quarter of its speed from 20 to 40 s", 70, _ => 2000) with
    {
        ChangesAt = 20,
        Slowness = (machine, t) => machine == 0 && t is >= 20 and < 40 ? 4 : 1,
    };

    /// <summary>The low machine ends, and comes back.</summary>
    public static ClusterScenario Dead { get; } = Create("dead", "1,500 requests a second; the low machine is down from 20 to 30 s", 50, _ => 1500) with
    {
        IsUp = (machine, t) => machine != 0 || t is < 20 or >= 30,
    };

    /// <summary>All of them.</summary>
    public static IReadOnlyList<ClusterScenario> All { get; } = [Gradual, Spike, Tight, Full, BrownOut, Dead];

    /// <summary>The same, with the second's requests in its first fifth, as the document's pools of one thread for each request of a second suggest.</summary>
    public static ClusterScenario InBatches(ClusterScenario scenario) => scenario with
    {
        Name = scenario.Name + "-batch",
        Description = scenario.Description + "; those of a second come in its first fifth",
        ArrivalSpread = 0.2,
    };

    /// <summary>90 %, before two balancers that know nothing of each other.</summary>
    public static ClusterScenario FullOfTwo { get; } = Full with { Name = "full-2", Description = "90 % of the capacity, two balancers", Balancers = 2 };

    /// <summary>The spike with the second's requests in its first fiftieth: "500 requests each second" suffer with 500 threads only if they come at
    /// once.</summary>
    public static ClusterScenario SpikeAtOnce { get; } = Spike with
    {
        Name = "spike-at-once",
        Description = Spike.Description + "; those of a second come in its first fiftieth",
        ArrivalSpread = 0.02,
    };

    /// <summary>
    /// The same where threads cost nothing up to 225 for each core, as 900 were fine and 1,000 were not, and so much beyond that 1,000 of them use the quad
    /// core up at 980 requests a second.
    /// </summary>
    public static ClusterScenario SpikeCliff { get; } = SpikeAtOnce with
    {
        Name = "spike-cliff",
        Description = SpikeAtOnce.Description + "; threads cost nothing up to 225 for each core",
        Machines = [WithCliff(Low), WithCliff(High)],
    };

    private static ClusterMachine WithCliff(ClusterMachine machine) =>
        machine with { FreeThreads = 225 * machine.Cores, CpuPerThread = ((1.02 * 4 / 1000) - CpuPerRequest) / 100 };

    private static ClusterScenario Create(string name, string description, double seconds, Func<double, double> rate) => new()
    {
        Name = name,
        Description = description,
        Seconds = seconds,
        Machines = [Low, High],
        Rate = rate,
        Cpu = static _ => 0,
        Sleep = 0.1,
        WarmUp = 5,
    };
}
