using System.Buffers.Binary;

namespace AdaptivePool.Groups;

/// <summary>
/// The NUMA nodes in what GetLogicalProcessorInformationEx answers: records of variable length, each with its relationship and its size first. Pure, so that
/// it is tested on every system.
/// </summary>
internal static class WindowsTopology
{
    // SYSTEM_LOGICAL_PROCESSOR_INFORMATION_EX: relationship, size, then what the relationship says.
    private const int SizeOffset = 4;
    private const int DataOffset = 8;

    // LOGICAL_PROCESSOR_RELATIONSHIP.
    private const int RelationNumaNode = 1;
    private const int RelationNumaNodeEx = 6;

    // NUMA_NODE_RELATIONSHIP: the node's number, 18 reserved bytes, the number of masks (zero before Windows 20348, which has one), the masks.
    private const int GroupCountOffset = DataOffset + 22;
    private const int MasksOffset = DataOffset + 24;

    // GROUP_AFFINITY: a mask as wide as a pointer, the number of the group, 6 reserved bytes.
    private const int ReservedOfMask = 6;

    /// <summary>A group has at most so many processors: a processor's number is that of its group times this, and its place there.</summary>
    public const int ProcessorsPerGroup = 64;

    /// <summary>Reads the nodes.</summary>
    /// <param name="answer">What the system has written.</param>
    /// <param name="pointerSize">Bytes of a pointer: 4 or 8.</param>
    /// <returns>The nodes with processors, by number; <see langword="null"/> where the answer makes no sense.</returns>
    public static IReadOnlyList<CpuNode>? TryParse(ReadOnlySpan<byte> answer, int pointerSize)
    {
        SortedDictionary<int, SortedSet<int>> nodes = [];
        while (answer.Length > 0)
        {
            if (answer.Length < DataOffset)
            {
                return null;
            }

            int relation = BinaryPrimitives.ReadInt32LittleEndian(answer);
            uint size = BinaryPrimitives.ReadUInt32LittleEndian(answer[SizeOffset..]);
            bool isRecord = size >= DataOffset && size <= answer.Length;
            if (!isRecord || (relation is RelationNumaNode or RelationNumaNodeEx && !TryAdd(answer[..(int)size], pointerSize, nodes)))
            {
                return null;
            }

            answer = answer[(int)size..];
        }

        CpuNode[] found = [.. nodes.Where(static node => node.Value.Count > 0).Select(static node => new CpuNode(node.Key, [.. node.Value]))];
        return found.Length > 0 ? found : null;
    }

    private static bool TryAdd(ReadOnlySpan<byte> record, int pointerSize, SortedDictionary<int, SortedSet<int>> nodes)
    {
        int maskSize = pointerSize + sizeof(ushort) + ReservedOfMask;
        if (record.Length < MasksOffset)
        {
            return false;
        }

        int number = BinaryPrimitives.ReadInt32LittleEndian(record[DataOffset..]);
        int masks = Math.Max(1, (int)BinaryPrimitives.ReadUInt16LittleEndian(record[GroupCountOffset..]));
        if (number < 0 || record.Length < MasksOffset + (masks * maskSize))
        {
            return false;
        }

        SortedSet<int> processors = nodes.TryGetValue(number, out SortedSet<int>? present) ? present : nodes[number] = [];
        for (int i = 0; i < masks; i++)
        {
            ReadOnlySpan<byte> affinity = record.Slice(MasksOffset + (i * maskSize), maskSize);
            ulong mask = pointerSize == sizeof(long) ? BinaryPrimitives.ReadUInt64LittleEndian(affinity) : BinaryPrimitives.ReadUInt32LittleEndian(affinity);
            int group = BinaryPrimitives.ReadUInt16LittleEndian(affinity[pointerSize..]);
            for (int place = 0; place < ProcessorsPerGroup; place++)
            {
                if (((mask >> place) & 1) != 0)
                {
                    processors.Add((group * ProcessorsPerGroup) + place);
                }
            }
        }

        return true;
    }
}
