using System.Runtime.InteropServices;

namespace AdaptivePool.Internal;

/// <summary>
/// Puts a thread behind all other threads of the machine: it runs on the CPU time that they leave, and gives it back as soon as one of them wakes. Linux: the
/// policy SCHED_IDLE, or nice 19 where that is refused; Windows: the lowest priority. There is no way back without a privilege, so only threads that do
/// nothing else use it.
/// </summary>
/// <remarks>
/// Linux gives the rank of a thread to each thread that it starts, permanently. SCHED_RESET_ON_FORK does not change that: it resets real-time policies and
/// negative nice values, but neither SCHED_IDLE nor nice 19. Under SCHED_IDLE a nice value has no effect, so no nice value is set that would be inherited.
/// </remarks>
internal static unsafe partial class ThreadRank
{
    // linux/sched.h and sys/resource.h.
    private const int PolicyIdle = 5;
    private const int OfThread = 0;
    private const int LastNice = 19;

    /// <summary>Whether threads can be put behind others here.</summary>
    public static bool IsSupported { get; } = NativeMethods.HasSystemCalls || OperatingSystem.IsWindows();

    /// <summary>Puts the calling thread behind all others, permanently, where that is possible.</summary>
    public static void Lower()
    {
        if (OperatingSystem.IsWindows())
        {
            Thread.CurrentThread.Priority = ThreadPriority.Lowest;
        }
        else if (NativeMethods.HasSystemCalls)
        {
            int priority = 0;
            if (SetScheduler(0, PolicyIdle, &priority) != 0)
            {
                _ = SetPriority(OfThread, NativeMethods.CurrentThreadId(), LastNice);
            }
        }
    }

    [LibraryImport("libc", EntryPoint = "sched_setscheduler")]
    private static partial int SetScheduler(int thread, int policy, int* priority);

    [LibraryImport("libc", EntryPoint = "setpriority")]
    private static partial int SetPriority(int which, int thread, int nice);
}
