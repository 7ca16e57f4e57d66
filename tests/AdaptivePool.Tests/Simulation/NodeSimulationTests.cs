using AdaptivePool.Simulation.Nodes;
using Xunit.Abstractions;

namespace AdaptivePool.Tests.Simulation;

/// <summary>Groups of threads on four NUMA nodes with 128 processors, on virtual time.</summary>
public sealed class NodeSimulationTests(ITestOutputHelper output)
{
    private const int Items = 80_000;

    [Theory]
    [InlineData("read-only", 0.95)]
    [InlineData("read-only-skewed", 0.95)]
    [InlineData("point-select", 0.95)]
    [InlineData("write", 0.95)]
    [InlineData("few-clients", 0.95)]

    // Four locks for all: threads of two nodes hand them over faster than those of four, and are enough.
    [InlineData("write-contended", 0.9)]
    public void DefaultCount_BoundToNodes_IsNearTheBest(string load, double least)
    {
        var compared = new NodeComparison(NodeMachine.Large, NodeLoad.Named.Single(it => it.Name == load), isBound: true, Items, seed: 1);

        output.WriteLine($"{load}: {string.Join(", ", compared.Counts.Select(count => $"{count}: {compared.ShareOf(count):F3}"))} of {compared.Best:N0}/s");
        compared.DefaultCount.ShouldBe(4);
        compared.DefaultShare.ShouldBeGreaterThanOrEqualTo(least);
    }

    /// <summary>Where threads may run anywhere a group is no place, and keeps nothing near.</summary>
    [Fact]
    public void PerSecond_MemoryOfFourNodes_BindingIsWorthWhatIsFar()
    {
        NodeLoad load = NodeLoad.Named.Single(static it => it.Name == "point-select");
        double anywhere = NodeSimulation.PerSecond(NodeMachine.Large, load, groups: 4, isBound: false, Items);
        double bound = NodeSimulation.PerSecond(NodeMachine.Large, load, groups: 4, isBound: true, Items);

        (anywhere / bound).ShouldBeInRange(0.6, 0.8, "30 to 40 % are lost, as the founding document has it");
    }

    [Fact]
    public void PerSecond_NothingIsFar_GroupsMeanNothing()
    {
        var load = new NodeLoad("near", Clients: 512, WorkSeconds: 100e-6, ThinkSeconds: 0) { FarShare = 0, NearShare = 0 };
        double one = NodeSimulation.PerSecond(NodeMachine.Large, load, groups: 1, isBound: false, Items);
        double four = NodeSimulation.PerSecond(NodeMachine.Large, load, groups: 4, isBound: true, Items);

        one.ShouldBe(128 / 100e-6, tolerance: 0.03 * 128 / 100e-6);
        four.ShouldBe(one, tolerance: 0.03 * one);
    }

    [Fact]
    public void PerSecond_OneLock_IsWhatTheLockAllows()
    {
        var load = new NodeLoad("lock", Clients: 512, WorkSeconds: 20e-6, ThinkSeconds: 0) { Locks = 1, LockSeconds = 5e-6, FarLockShare = 0 };

        NodeSimulation.PerSecond(NodeMachine.Large, load, groups: 4, isBound: true, Items).ShouldBe(200_000, tolerance: 4_000);
    }

    [Fact]
    public void Named_AreTheSixLoadsOfTheTable() => NodeLoad.Named.Select(static load => load.Name)
        .ShouldBe(["read-only", "read-only-skewed", "point-select", "write", "write-contended", "few-clients"]);

    [Fact]
    public void PerSecond_SameSeed_IsTheSame()
    {
        double first = NodeSimulation.PerSecond(NodeMachine.Large, NodeLoad.Named[0], groups: 4, isBound: true, 10_000);

        NodeSimulation.PerSecond(NodeMachine.Large, NodeLoad.Named[0], groups: 4, isBound: true, 10_000).ShouldBe(first);
    }
}
