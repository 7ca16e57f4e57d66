using AdaptivePool.Simulation.Cluster;
using AdaptivePool.Simulation.Cluster.Policies;

namespace AdaptivePool.Balancing.Tests.Cluster;

/// <summary>The schemes that the founding document compares itself with size their pools as it describes them.</summary>
public sealed class FoundingComparatorTests
{
    private const int Seconds = 12;

    /// <summary>Half of it goes to each machine: 400 a second, then more than the small one can bear with a pool of as many threads.</summary>
    private static readonly ClusterScenario s_spike = FoundingScenarios.Spike with { Seconds = Seconds, Rate = static t => t < 6 ? 800 : 2000 };

    [Fact]
    public void ResourceLevel_MemoryIsNeverShort_PoolFollowsTheRateAndStaysOverloaded()
    {
        ClusterTrace trace = ClusterSimulation.Run(s_spike, new ResourceLevelPolicy(), seed: 1);
        Pool(trace, 4).ShouldBeInRange(330, 470);
        Pool(trace, Seconds - 1).ShouldBeInRange(900, 1100);
        Arrived(trace, 0).ShouldBe(Arrived(trace, 1), 20);
        trace.Percentile(0.9, 9, Seconds).ShouldBeGreaterThan(0.15);
    }

    [Fact]
    public void ResourceLevel_MemoryDoesNotSuffice_PoolStays()
    {
        // Memory for 500 threads: those for 400 requests can be had, 600 more cannot.
        ClusterTrace trace = ClusterSimulation.Run(s_spike, new ResourceLevelPolicy(500 * ResourceLevelPolicy.PerThread), seed: 1);
        Pool(trace, 4).ShouldBeInRange(330, 470);
        Enumerable.Range(7, Seconds - 7).Max(at => Pool(trace, at)).ShouldBeInRange(330, 470);
    }

    [Fact]
    public void ResourceLevel_MachineWithLessFreeMemory_GetsLess()
    {
        // The large machine begins with a pool that takes half of the memory.
        ClusterScenario scenario = s_spike with
        {
            Machines = [FoundingScenarios.Low, FoundingScenarios.High with { Threads = 1000 }],
            Rate = static _ => 800,
            WarmUp = 0,
            Seconds = 1,
        };
        ClusterTrace trace = ClusterSimulation.Run(scenario, new ResourceLevelPolicy(2000 * ResourceLevelPolicy.PerThread), seed: 1);
        ((double)trace.Seconds[0][0].Arrived / trace.Seconds[1][0].Arrived).ShouldBe(2, 0.1);
    }

    [Fact]
    public void Heuristic_CompletionsFallBehind_PoolGoesBackAndStays()
    {
        ClusterTrace trace = ClusterSimulation.Run(s_spike, new HeuristicPolicy(), seed: 1);
        int held = Pool(trace, Seconds - 1);
        held.ShouldBeInRange(330, 470);
        Enumerable.Range(8, Seconds - 8).ShouldAllBe(at => Pool(trace, at) == held);
        trace.Percentile(0.9, 9, Seconds).ShouldBeLessThan(0.11);
    }

    [Fact]
    public void Heuristic_StartedAgain_FollowsTheRateAgain()
    {
        ClusterScenario scenario = s_spike with { Rate = static _ => 800, IsUp = static (machine, t) => machine != 0 || t is < 5 or >= 7 };
        ClusterTrace trace = ClusterSimulation.Run(scenario, new HeuristicPolicy(), seed: 1);
        Pool(trace, Seconds - 1).ShouldBeGreaterThan(300);
    }

    private static int Pool(ClusterTrace trace, int second) => trace.Seconds[0][second].Threads;

    private static double Arrived(ClusterTrace trace, int backend) => trace.ArrivedPerSecond(backend, 6, Seconds);
}
