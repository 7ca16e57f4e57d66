using System.Runtime.InteropServices;
using System.Runtime.Versioning;

namespace AdaptivePool.Internal;

/// <summary>Asks Windows for its processors.</summary>
[SupportedOSPlatform("windows")]
internal static unsafe partial class WindowsProcessors
{
    // LOGICAL_PROCESSOR_RELATIONSHIP: the nodes with all of their processors, and where that is not known yet (before 20348) with those of one group.
    private const int RelationNumaNodeEx = 6;
    private const int RelationNumaNode = 1;
    private const int Tries = 4;

    /// <summary>What GetLogicalProcessorInformationEx answers about nodes; <see langword="null"/> when it does not.</summary>
    public static byte[]? Read() => Read(RelationNumaNodeEx) ?? Read(RelationNumaNode);

    private static byte[]? Read(int relationship)
    {
        // More processors may come while it is asked.
        byte[] answer = [];
        for (int i = 0; i < Tries; i++)
        {
            uint length = (uint)answer.Length;
            fixed (byte* buffer = answer)
            {
                if (GetLogicalProcessorInformationEx(relationship, buffer, &length) != 0)
                {
                    return answer[..(int)length];
                }
            }

            answer = new byte[length];
        }

        return null;
    }

    [LibraryImport("kernel32")]
    private static partial int GetLogicalProcessorInformationEx(int relationship, byte* buffer, uint* length);
}
