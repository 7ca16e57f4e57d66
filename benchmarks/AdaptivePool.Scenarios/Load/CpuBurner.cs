using System.Diagnostics;
using System.Runtime.CompilerServices;

namespace AdaptivePool.Scenarios.Load;

/// <summary>
/// Uses up CPU time. It counts turns instead of watching a clock: under contention a clock would let an item off with less CPU than it is meant to cost.
/// The parent calibrates once, so that all pools of a run do the same work.
/// </summary>
public sealed class CpuBurner(double turnsPerMillisecond)
{
    /// <summary>Name of the setting that carries the calibration.</summary>
    public const string SettingName = "turns-per-ms";

    /// <summary>Measures turns per millisecond of an undisturbed core: the fastest of many short tries.</summary>
    public static double Calibrate()
    {
        const int Turns = 200_000;
        double best = 0;
        for (int i = 0; i < 60; i++)
        {
            long start = Stopwatch.GetTimestamp();
            Turn(Turns);
            best = Math.Max(best, Turns / Stopwatch.GetElapsedTime(start).TotalMilliseconds);
        }

        return best;
    }

    /// <summary>Uses about this much CPU time.</summary>
    public void Burn(double milliseconds) => Turn((long)(turnsPerMillisecond * milliseconds));

    [MethodImpl(MethodImplOptions.NoInlining | MethodImplOptions.AggressiveOptimization)]
    private static ulong Turn(long turns)
    {
        ulong x = 88172645463325252UL;
        for (long i = 0; i < turns; i++)
        {
            x ^= x << 13;
            x ^= x >> 7;
            x ^= x << 17;
        }

        return x;
    }
}
