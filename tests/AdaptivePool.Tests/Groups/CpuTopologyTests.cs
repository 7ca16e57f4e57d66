using AdaptivePool.Groups;
using AdaptivePool.Tests.Sensing;

namespace AdaptivePool.Tests.Groups;

/// <summary>Files as machines have them.</summary>
public sealed class CpuTopologyTests
{
    [Fact]
    public void Read_FourNodesOf128Processors_AreFour()
    {
        CpuTopology topology = Read("0-127", "0-3", "0-15,64-79", "16-31,80-95", "32-47,96-111", "48-63,112-127");
        topology.Nodes.Select(static node => (node.Number, node.Processors.Count)).ShouldBe([(0, 32), (1, 32), (2, 32), (3, 32)]);
        topology.Nodes[1].Processors.ShouldContain(80);
        topology.Problem.ShouldBeNull();
    }

    [Fact]
    public void Read_TwoSocketsWithProcessorsOffline_HasThoseThatAreThere()
    {
        // Those that are offline stay in no node's list, and in what the process may use.
        CpuTopology topology = Read("0-15", "0-1", "0-3,6", "8-15");
        topology.Nodes.Select(static node => node.Processors.Count).ShouldBe([5, 8]);
    }

    [Fact]
    public void Read_ContainerWithOneNodesProcessors_IsThatNode()
    {
        CpuTopology topology = Read("80-83", "0-3", "0-15,64-79", "16-31,80-95", "32-47,96-111", "48-63,112-127");
        CpuNode node = topology.Nodes.ShouldHaveSingleItem();
        (node.Number, node.Processors).ShouldBe((1, node.Processors));
        node.Processors.ShouldBe([80, 81, 82, 83]);
    }

    [Fact]
    public void Read_LaptopWithTwoKindsOfCores_IsOneNode() => Read("0-19", "0", "0-19").Nodes.ShouldHaveSingleItem().Processors.Count.ShouldBe(20);

    [Fact]
    public void Read_NodeThatHasMemoryOnly_IsNone() => Read("0-7", "0-1", "0-7", "").Nodes.ShouldHaveSingleItem().Number.ShouldBe(0);

    [Fact]
    public void Read_KernelThatKnowsNoNodes_IsOneWithoutAWarning()
    {
        using var system = new SystemFolder("0-7");
        CpuTopology topology = CpuTopology.Read(system.Root);
        topology.Nodes.ShouldHaveSingleItem().Processors.Count.ShouldBe(8);
        topology.Problem.ShouldBeNull();
    }

    [Theory]
    [InlineData("nonsense", "0-7", "online")]
    [InlineData("", "0-7", "online")]
    [InlineData("0", "0-", "node0/cpulist")]
    [InlineData("0", "12-15", "none of which")]
    public void Read_Nonsense_IsOneNodeWithAWarning(string online, string processors, string named)
    {
        CpuTopology topology = Read("0-7", online, processors);
        topology.Nodes.ShouldHaveSingleItem().Processors.Count.ShouldBe(8);
        topology.Problem.ShouldNotBeNull().ShouldContain(named);
    }

    [Fact]
    public void Read_FileOfANodeIsMissing_IsOneNodeWithAWarning() => Read("0-7", "0-1", "0-3").Problem.ShouldNotBeNull().ShouldContain("node1/cpulist");

    [Fact]
    public void Machine_HasTheProcessorsOfThisProcess()
    {
        CpuTopology.Machine.Groups.ShouldBePositive();
        if (!OperatingSystem.IsWindows())
        {
            CpuTopology.Machine.Nodes.Sum(static node => node.Processors.Count).ShouldBeGreaterThanOrEqualTo(Environment.ProcessorCount);
        }
    }

    [Theory]
    [InlineData(2, 8, 8, 2)]
    [InlineData(2, 8, 4, 1)]
    [InlineData(1, 8, 8, 1)]
    public void OfWindows_HasItsNodes_WhereTheProcessMayUseAllProcessors(int nodes, int processors, int allowed, int groups)
    {
        CpuTopology topology = CpuTopology.OfWindows(nodes, processors, allowed);
        topology.Groups.ShouldBe(groups);
        topology.NodeOf(groups - 1).Number.ShouldBe(groups - 1);
        topology.Problem.ShouldBeNull();
    }

    [Fact]
    public void OfWindows_NoAnswer_IsOneNodeAndAProblem()
    {
        CpuTopology topology = CpuTopology.OfWindows(nodes: 0, processors: 0, allowed: 4);
        topology.Groups.ShouldBe(1);
        topology.Problem.ShouldNotBeNull().ShouldContain("Windows");
    }

    private static CpuTopology Read(string allowed, string online, params string[] nodes)
    {
        using var system = new SystemFolder(allowed);
        system.Write("/sys/devices/system/node/online", online + "\n");
        for (int i = 0; i < nodes.Length; i++)
        {
            system.Write($"/sys/devices/system/node/node{i}/cpulist", nodes[i] + "\n");
        }

        return CpuTopology.Read(system.Root);
    }
}
