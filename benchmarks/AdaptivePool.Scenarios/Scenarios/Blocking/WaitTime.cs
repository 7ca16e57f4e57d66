using System.Diagnostics;

namespace AdaptivePool.Scenarios.Scenarios.Blocking;

/// <summary>What one wait took.</summary>
/// <param name="Nanoseconds">Time in nanoseconds.</param>
/// <param name="Bytes">Bytes allocated.</param>
public readonly record struct WaitTime(double Nanoseconds, double Bytes)
{
    /// <summary>The mean since a start on the calling thread.</summary>
    /// <param name="start">Stopwatch ticks at the start.</param>
    /// <param name="allocated">Bytes this thread had allocated at the start.</param>
    /// <param name="waits">Number of waits.</param>
    public static WaitTime Of(long start, long allocated, int waits) => new(
        Stopwatch.GetElapsedTime(start).TotalNanoseconds / waits,
        (double)(GC.GetAllocatedBytesForCurrentThread() - allocated) / waits);
}
