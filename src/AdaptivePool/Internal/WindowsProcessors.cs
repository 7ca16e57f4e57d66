using System.Runtime.InteropServices;
using System.Runtime.Versioning;

namespace AdaptivePool.Internal;

/// <summary>Asks Windows for its processors.</summary>
[SupportedOSPlatform("windows")]
internal static unsafe partial class WindowsProcessors
{
    // ALL_PROCESSOR_GROUPS (winnt.h).
    private const ushort AllGroups = 0xFFFF;

    /// <summary>The number of processors of the machine.</summary>
    public static int Count => (int)GetActiveProcessorCount(AllGroups);

    /// <summary>Returns the number of NUMA nodes that have processors; 0 where the system reports none.</summary>
    public static int CountNodes()
    {
        uint highest = 0;
        int count = 0;
        if (GetNumaHighestNodeNumber(&highest) != 0)
        {
            for (uint node = 0; node <= highest; node++)
            {
                // Numbers may be missing, and a node may have memory only.
                GroupAffinity affinity;
                count += GetNumaNodeProcessorMaskEx((ushort)node, &affinity) != 0 && affinity.Mask != 0 ? 1 : 0;
            }
        }

        return count;
    }

    [LibraryImport("kernel32")]
    private static partial uint GetActiveProcessorCount(ushort group);

    [LibraryImport("kernel32")]
    private static partial int GetNumaHighestNodeNumber(uint* highest);

    [LibraryImport("kernel32")]
    private static partial int GetNumaNodeProcessorMaskEx(ushort node, GroupAffinity* affinity);

    // GROUP_AFFINITY (winnt.h): the mask, the number of the group, 6 reserved bytes; the mask is as wide as a pointer.
    [StructLayout(LayoutKind.Sequential)]
    private struct GroupAffinity
    {
        public nuint Mask;
        public ulong GroupAndReserved;
    }
}
