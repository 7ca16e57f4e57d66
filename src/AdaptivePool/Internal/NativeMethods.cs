using System.Runtime.InteropServices;

namespace AdaptivePool.Internal;

/// <summary>The system calls for which .NET has no method: futex, thread id, the CPU clock of another thread, and how often the calling thread has waited.
/// Linux only; all code that uses it has a fallback.</summary>
internal static unsafe partial class NativeMethods
{
    // FUTEX_WAIT and FUTEX_WAKE with FUTEX_PRIVATE_FLAG (linux/futex.h).
    private const int FutexWaitPrivate = 0 | 128;
    private const int FutexWakePrivate = 1 | 128;
    private const int ClockThreadCpu = 3;
    private const long NanosecondsPerSecond = 1_000_000_000;

    // RUSAGE_THREAD, and the position of ru_nvcsw among the 18 words of struct rusage (linux/resource.h): two times of two words, then fourteen counts.
    private const int UsageOfThread = 1;
    private const int UsageWords = 18;
    private const int VoluntarySwitches = 16;

    private static readonly nint s_futex = RuntimeInformation.ProcessArchitecture == Architecture.Arm64 ? 98 : 202;
    private static readonly nint s_gettid = RuntimeInformation.ProcessArchitecture == Architecture.Arm64 ? 178 : 186;

    /// <summary>Whether the numbers above are those of this system, and its library can be called; tested once.</summary>
    public static bool HasSystemCalls { get; } =
        OperatingSystem.IsLinux() && RuntimeInformation.ProcessArchitecture is Architecture.X64 or Architecture.Arm64 && IsThreadKnown();

    /// <summary>Whether a futex call works here; tested once with a wake for which no thread waits.</summary>
    public static bool HasFutex { get; } = HasSystemCalls && WakesNobody();

    // No SuppressGCTransition: the thread sleeps in this call and must not hold up a collection.
    public static void FutexWait(int* word, int expected) => SystemCall(s_futex, (nint)word, FutexWaitPrivate, expected, 0, 0, 0);

    public static nint FutexWake(int* word) => SystemCall(s_futex, (nint)word, FutexWakePrivate, 1, 0, 0, 0);

    public static int CurrentThreadId() => (int)SystemCall(s_gettid, 0, 0, 0, 0, 0, 0);

    /// <summary>CPU time that a thread of this process has used, in seconds; NaN when the thread has ended.</summary>
    public static double ThreadCpuSeconds(int threadId) => Nanoseconds((~threadId << 3) | 6) is { } used ? used * 1e-9 : double.NaN;

    /// <summary>CPU time that the calling thread has used, in nanoseconds.</summary>
    public static long OwnThreadCpuNanoseconds() => Nanoseconds(ClockThreadCpu) ?? 0;

    /// <summary>
    /// How often the calling thread has given up its core because it waited for something. A thread that was preempted has not done so, and neither has a
    /// thread that yields.
    /// </summary>
    public static long OwnWaits()
    {
        nint* usage = stackalloc nint[UsageWords];
        return GetResourceUsage(UsageOfThread, usage) == 0 ? usage[VoluntarySwitches] : 0;
    }

    private static long? Nanoseconds(int clock)
    {
        TimeSpecification time;
        return ClockGetTime(clock, &time) == 0 ? (time.Seconds * NanosecondsPerSecond) + time.Nanoseconds : null;
    }

    private static bool IsThreadKnown()
    {
        try
        {
            return CurrentThreadId() > 0;
        }
        catch (Exception exception) when (exception is DllNotFoundException or EntryPointNotFoundException or BadImageFormatException)
        {
            return false;
        }
    }

    private static bool WakesNobody()
    {
        int word = 0;
        return FutexWake(&word) == 0;
    }

    [LibraryImport("libc", EntryPoint = "syscall")]
    private static partial nint SystemCall(nint number, nint a, nint b, nint c, nint d, nint e, nint f);

    [LibraryImport("libc", EntryPoint = "clock_gettime")]
    private static partial int ClockGetTime(int clock, TimeSpecification* time);

    [LibraryImport("libc", EntryPoint = "getrusage")]
    private static partial int GetResourceUsage(int who, nint* usage);

    [StructLayout(LayoutKind.Sequential)]
    private struct TimeSpecification
    {
        public nint Seconds;
        public nint Nanoseconds;
    }
}
