using System.Runtime.InteropServices;

namespace AdaptivePool.Internal;

/// <summary>
/// CPU time of a thread of this process, read from another thread. Linux: clock_gettime, exact, 0.3-0.8 us. Windows: GetThreadTimes, in steps of 15.6 ms.
/// Other systems have no such clock, and callers do without: such a worker counts as running unless it is in a managed wait.
/// </summary>
internal static unsafe partial class ThreadClock
{
    private const uint QueryLimitedInformation = 0x0800;
    private const double SecondsPerFileTime = 1e-7;

    /// <summary>Whether the clock of a thread can be read here; tested once with the caller's.</summary>
    public static bool IsSupported { get; } = Seconds(Number()) >= 0;

    /// <summary>The system's number of the calling thread; 0 where there is no clock.</summary>
    public static int CurrentThreadId() => IsSupported ? Number() : 0;

    private static int Number() =>
        NativeMethods.HasSystemCalls ? NativeMethods.CurrentThreadId()
        : OperatingSystem.IsWindows() ? (int)GetCurrentThreadId()
        : 0;

    /// <summary>CPU time that the thread has used, in seconds; NaN when the thread has ended or there is no clock.</summary>
    public static double Seconds(int threadId) =>
        threadId == 0 ? double.NaN
        : NativeMethods.HasSystemCalls ? NativeMethods.ThreadCpuSeconds(threadId)
        : OperatingSystem.IsWindows() ? WindowsSeconds((uint)threadId)
        : double.NaN;

    /// <summary>
    /// CPU time that the calling thread has used, in nanoseconds. On other systems than Linux, the time that has passed: the clock of Windows goes in steps
    /// of 15.6 ms, which is longer than most items.
    /// </summary>
    public static long OwnNanoseconds() => NativeMethods.HasSystemCalls
        ? NativeMethods.OwnThreadCpuNanoseconds()
        : (long)(Stopwatch.GetTimestamp() * (1e9 / Stopwatch.Frequency));

    private static double WindowsSeconds(uint threadId)
    {
        nint thread = OpenThread(QueryLimitedInformation, 0, threadId);
        if (thread == 0)
        {
            return double.NaN;
        }

        long created = 0;
        long ended = 0;
        long kernel = 0;
        long user = 0;
        int isRead = GetThreadTimes(thread, &created, &ended, &kernel, &user);
        _ = CloseHandle(thread);
        return isRead != 0 ? (kernel + user) * SecondsPerFileTime : double.NaN;
    }

    [LibraryImport("kernel32")]
    private static partial uint GetCurrentThreadId();

    [LibraryImport("kernel32")]
    private static partial nint OpenThread(uint access, int inherit, uint threadId);

    [LibraryImport("kernel32")]
    private static partial int GetThreadTimes(nint thread, long* created, long* ended, long* kernel, long* user);

    [LibraryImport("kernel32")]
    private static partial int CloseHandle(nint handle);
}
