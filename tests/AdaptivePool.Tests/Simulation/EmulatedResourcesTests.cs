using AdaptivePool.Simulation;

namespace AdaptivePool.Tests.Simulation;

public sealed class EmulatedResourcesTests
{
    [Fact]
    public void Solve_BalancedStations_IsTheKnownFormula()
    {
        // Three single servers of equal demand D: X(n) = n / (D (n + 2)).
        double[] throughput = new EmulatedResources { Cores = 1, CpuSeconds = 0.01, Channels = 1, ChannelSeconds = 0.01, LockSeconds = 0.01 }
            .Solve(64).Throughput;
        Enumerable.Range(1, 64).ShouldAllBe(n => Math.Abs(throughput[n] - (n / (0.01 * (n + 2)))) < 1e-9);
    }

    [Fact]
    public void Solve_Always_StaysUnderTheBoundsOfTheBottleneckAndOfTheRound()
    {
        var resources = new EmulatedResources { Cores = 4, CpuSeconds = 0.001, Channels = 8, ChannelSeconds = 0.004, LockSeconds = 0.0001,
            DelaySeconds = 0.01 };
        double[] throughput = resources.Solve(512).Throughput;
        double round = 0.001 + 0.004 + 0.0001 + 0.01;
        Enumerable.Range(1, 512).ShouldAllBe(n => throughput[n] <= Math.Min(2000, n / round) + 1e-9);
        throughput[1].ShouldBe(1 / round, 1e-9);
        throughput[512].ShouldBe(2000, 1);
    }

    [Fact]
    public void Solve_MemoryTooSmall_FallsFromThereOn()
    {
        var resources = new EmulatedResources { Cores = 2, CpuSeconds = 0.001, MemoryThreads = 32, MemoryExponent = 1 };
        double[] throughput = resources.Solve(128).Throughput;
        (throughput[64] / throughput[32]).ShouldBe(0.5, 0.01);
        throughput[32].ShouldBe(throughput.Max(), 1e-6);
        throughput[33].ShouldBeLessThan(0.98 * throughput[32]);
    }

    [Fact]
    public void Solve_CoresUsedUp_RestWaitsForThem()
    {
        // 20 ms of delay beside 1 ms on 1 core: beyond 21 threads everything new queues for the core.
        double[] runnable = new EmulatedResources { Cores = 1, CpuSeconds = 0.001, DelaySeconds = 0.02 }.Solve(200).Runnable;
        runnable[1].ShouldBe(1.0 / 21, 0.001);
        runnable[200].ShouldBe(180, 1);
    }
}
