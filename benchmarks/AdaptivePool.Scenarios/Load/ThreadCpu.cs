using System.Diagnostics;
using System.Runtime.InteropServices;

namespace AdaptivePool.Scenarios.Load;

/// <summary>CPU time of the calling thread: what its items cost, whoever else has the core meanwhile.</summary>
public static unsafe partial class ThreadCpu
{
    // linux/time.h.
    private const int ThreadClock = 3;
    private const long NanosecondsPerSecond = 1_000_000_000;

    /// <summary>Nanoseconds used by the calling thread; elsewhere than on Linux the time that has passed.</summary>
    public static long Nanoseconds()
    {
        if (!OperatingSystem.IsLinux())
        {
            return (long)(Stopwatch.GetTimestamp() * ((double)NanosecondsPerSecond / Stopwatch.Frequency));
        }

        nint* time = stackalloc nint[2];
        return GetTime(ThreadClock, time) == 0 ? (time[0] * NanosecondsPerSecond) + time[1] : 0;
    }

    [LibraryImport("libc", EntryPoint = "clock_gettime")]
    private static partial int GetTime(int clock, nint* time);
}
