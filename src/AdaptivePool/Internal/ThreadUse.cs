namespace AdaptivePool.Internal;

/// <summary>The CPU time that the calling thread has used, and how often it has waited for something.</summary>
/// <param name="CpuNanoseconds">CPU time.</param>
/// <param name="Waits">Number of waits, without waits for a core; -1 where the system does not provide it.</param>
internal readonly record struct ThreadUse(long CpuNanoseconds, long Waits)
{
    /// <summary>Reads both, with two system calls that take some 0.5 us.</summary>
    public static ThreadUse Own() => NativeMethods.HasSystemCalls ? new(NativeMethods.OwnThreadCpuNanoseconds(), NativeMethods.OwnWaits()) : new(0, -1);

    /// <summary>How long the thread has run since then, in seconds: its CPU time if it never waited, and otherwise all time that has passed.</summary>
    /// <param name="before">The reading at the beginning.</param>
    /// <param name="passed">Time since, in seconds.</param>
    public double RunSince(ThreadUse before, double passed) =>
        before.Waits < 0 || Waits != before.Waits ? passed : Math.Min(passed, (CpuNanoseconds - before.CpuNanoseconds) * 1e-9);
}
