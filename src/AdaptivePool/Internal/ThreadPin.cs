using System.Runtime.InteropServices;

namespace AdaptivePool.Internal;

/// <summary>Binds a thread to processors. Linux only.</summary>
internal static unsafe partial class ThreadPin
{
    private const int BitsPerWord = 8 * sizeof(ulong);

    /// <summary>Whether threads can be bound here.</summary>
    public static bool IsSupported => NativeMethods.HasSystemCalls;

    /// <summary>Makes the calling thread, and threads that it starts from now on, run on these processors only, where that is possible.</summary>
    /// <param name="processors">The system's numbers of the processors.</param>
    public static void Pin(IReadOnlyList<int> processors)
    {
        if (!IsSupported || processors.Count == 0)
        {
            return;
        }

        var mask = new ulong[(processors.Max() / BitsPerWord) + 1];
        foreach (int processor in processors)
        {
            mask[processor / BitsPerWord] |= 1UL << (processor % BitsPerWord);
        }

        fixed (ulong* first = mask)
        {
            _ = SetAffinity(0, (nuint)(mask.Length * sizeof(ulong)), first);
        }
    }

    [LibraryImport("libc", EntryPoint = "sched_setaffinity")]
    private static partial int SetAffinity(int thread, nuint size, ulong* mask);
}
