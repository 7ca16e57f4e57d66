using System.Buffers.Binary;
using AdaptivePool.Groups;

namespace AdaptivePool.Tests.Groups;

/// <summary>Answers of GetLogicalProcessorInformationEx, made as its documentation lays them out.</summary>
public sealed class WindowsTopologyTests
{
    private const int Cache = 2;
    private const int NumaNode = 1;

    [Fact]
    public void TryParse_FourNodesInTwoGroups_AreFourWithTheirProcessors()
    {
        byte[] answer =
        [
            .. Node(0, (0x0000_0000_FFFF_FFFF, 0)), .. Node(1, (0xFFFF_FFFF_0000_0000, 0)), .. Node(2, (0x0000_0000_FFFF_FFFF, 1)),
            .. Node(3, (0xFFFF_FFFF_0000_0000, 1)),
        ];

        IReadOnlyList<CpuNode> nodes = WindowsTopology.TryParse(answer, 8).ShouldNotBeNull();

        nodes.Select(static node => (node.Number, node.Processors.Count)).ShouldBe([(0, 32), (1, 32), (2, 32), (3, 32)]);
        nodes[1].Processors[0].ShouldBe(32);
        nodes[3].Processors[^1].ShouldBe(127);
    }

    [Fact]
    public void TryParse_OneNodeOverTwoGroups_HasThoseOfBoth() =>
        WindowsTopology.TryParse(Node(0, (0b11, 0), (0b101, 1)), 8).ShouldNotBeNull().ShouldHaveSingleItem().Processors.ShouldBe([0, 1, 64, 66]);

    [Fact]
    public void TryParse_OlderSystem_TellsNoNumberOfMasksAndHasOne()
    {
        byte[] answer = Node(2, (0b110, 0));
        BinaryPrimitives.WriteUInt16LittleEndian(answer.AsSpan(30), 0);

        WindowsTopology.TryParse(answer, 8).ShouldNotBeNull().ShouldHaveSingleItem().Processors.ShouldBe([1, 2]);
    }

    [Fact]
    public void TryParse_OtherRecordsBetween_AreLeftOut()
    {
        byte[] other = new byte[48];
        BinaryPrimitives.WriteInt32LittleEndian(other, Cache);
        BinaryPrimitives.WriteInt32LittleEndian(other.AsSpan(4), other.Length);

        WindowsTopology.TryParse([.. other, .. Node(0, (1, 0)), .. other, .. Node(1, (2, 0))], 8).ShouldNotBeNull().Count.ShouldBe(2);
    }

    [Fact]
    public void TryParse_PointersOfFourBytes_AreRead() =>
        WindowsTopology.TryParse(Node(1, 4, (0b1001, 0)), 4).ShouldNotBeNull().ShouldHaveSingleItem().Processors.ShouldBe([0, 3]);

    [Fact]
    public void TryParse_NodeThatHasMemoryOnly_IsNone() =>
        WindowsTopology.TryParse([.. Node(0, (0b11, 0)), .. Node(1, (0, 0))], 8).ShouldNotBeNull().ShouldHaveSingleItem().Number.ShouldBe(0);

    [Fact]
    public void TryParse_Nonsense_IsRefused()
    {
        byte[] node = Node(0, (1, 0));
        WindowsTopology.TryParse([], 8).ShouldBeNull();
        WindowsTopology.TryParse(new byte[7], 8).ShouldBeNull();
        WindowsTopology.TryParse(new byte[64], 8).ShouldBeNull("a record of no length would never end");
        for (int length = 1; length < node.Length; length++)
        {
            WindowsTopology.TryParse(node.AsSpan(0, length), 8).ShouldBeNull($"the record ends after {length} bytes");
        }

        byte[] many = Node(0, (1, 0));
        BinaryPrimitives.WriteUInt16LittleEndian(many.AsSpan(30), 9);
        WindowsTopology.TryParse(many, 8).ShouldBeNull("more masks than there is room for");
    }

    [Fact]
    public void OfWindows_AllProcessors_AreItsNodes() =>
        CpuTopology.OfWindows([new CpuNode(0, [0, 1]), new CpuNode(1, [2, 3])], processors: 4).Nodes.Count.ShouldBe(2);

    [Fact]
    public void OfWindows_ProcessMayUseFewerThanThereAre_IsOneNode()
    {
        // Which of them is not told.
        CpuTopology topology = CpuTopology.OfWindows([new CpuNode(0, [0, 1]), new CpuNode(1, [2, 3])], processors: 3);
        topology.Nodes.ShouldHaveSingleItem().Processors.Count.ShouldBe(3);
        topology.Problem.ShouldBeNull();
    }

    [Fact]
    public void OfWindows_NoAnswer_IsOneNodeAndAProblem()
    {
        CpuTopology topology = CpuTopology.OfWindows(null, processors: 4);
        topology.Nodes.ShouldHaveSingleItem().Processors.Count.ShouldBe(4);
        topology.Problem.ShouldNotBeNull().ShouldContain("GetLogicalProcessorInformationEx");
    }

    private static byte[] Node(int number, params (ulong Mask, ushort Group)[] masks) => Node(number, 8, masks);

    private static byte[] Node(int number, int pointerSize, params (ulong Mask, ushort Group)[] masks)
    {
        int maskSize = pointerSize + 8;
        byte[] record = new byte[32 + (masks.Length * maskSize)];
        BinaryPrimitives.WriteInt32LittleEndian(record, NumaNode);
        BinaryPrimitives.WriteInt32LittleEndian(record.AsSpan(4), record.Length);
        BinaryPrimitives.WriteInt32LittleEndian(record.AsSpan(8), number);
        BinaryPrimitives.WriteUInt16LittleEndian(record.AsSpan(30), (ushort)masks.Length);
        for (int i = 0; i < masks.Length; i++)
        {
            Span<byte> affinity = record.AsSpan(32 + (i * maskSize));
            if (pointerSize == 8)
            {
                BinaryPrimitives.WriteUInt64LittleEndian(affinity, masks[i].Mask);
            }
            else
            {
                BinaryPrimitives.WriteUInt32LittleEndian(affinity, (uint)masks[i].Mask);
            }

            BinaryPrimitives.WriteUInt16LittleEndian(affinity[pointerSize..], masks[i].Group);
        }

        return record;
    }
}
