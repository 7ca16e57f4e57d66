using System.Runtime.InteropServices;

namespace AdaptivePool.Internal;

/// <summary>
/// Puts a thread behind all others of the machine: it runs on what they leave, and gives it back as soon as one of them wakes. Linux: the policy SCHED_IDLE and
/// nice 19; Windows: the lowest priority. There is no way back without a privilege, so only threads that do nothing else come here.
/// </summary>
internal static unsafe partial class ThreadRank
{
    // linux/sched.h and sys/resource.h.
    private const int PolicyIdle = 5;
    private const int OfThread = 0;
    private const int LastNice = 19;

    /// <summary>Whether threads can be put behind others here.</summary>
    public static bool IsSupported { get; } = NativeMethods.HasSystemCalls || OperatingSystem.IsWindows();

    /// <summary>Puts the calling thread behind all others, for good, where that can be done.</summary>
    public static void Lower()
    {
        if (OperatingSystem.IsWindows())
        {
            Thread.CurrentThread.Priority = ThreadPriority.Lowest;
        }
        else if (NativeMethods.HasSystemCalls)
        {
            // Each of the two alone would do where the other is refused.
            int priority = 0;
            _ = SetScheduler(0, PolicyIdle, &priority);
            _ = SetPriority(OfThread, NativeMethods.CurrentThreadId(), LastNice);
        }
    }

    [LibraryImport("libc", EntryPoint = "sched_setscheduler")]
    private static partial int SetScheduler(int thread, int policy, int* priority);

    [LibraryImport("libc", EntryPoint = "setpriority")]
    private static partial int SetPriority(int which, int thread, int nice);
}
