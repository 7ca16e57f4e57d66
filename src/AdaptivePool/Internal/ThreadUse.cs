namespace AdaptivePool.Internal;

/// <summary>What the calling thread has used of the CPU, and how often it has waited for something.</summary>
/// <param name="CpuNanoseconds">CPU time.</param>
/// <param name="Waits">Waits, those for a core not among them; -1 where the system does not tell.</param>
internal readonly record struct ThreadUse(long CpuNanoseconds, long Waits)
{
    /// <summary>Reads both: two system calls, some 0.5 us.</summary>
    public static ThreadUse Own() => NativeMethods.HasSystemCalls ? new(NativeMethods.OwnThreadCpuNanoseconds(), NativeMethods.OwnWaits()) : new(0, -1);

    /// <summary>How long the thread was at it since, in seconds: what it used of the CPU where it never waited, and all that passed otherwise.</summary>
    /// <param name="before">What was read at the beginning.</param>
    /// <param name="passed">Time since, in seconds.</param>
    public double RunSince(ThreadUse before, double passed) =>
        before.Waits < 0 || Waits != before.Waits ? passed : Math.Min(passed, (CpuNanoseconds - before.CpuNanoseconds) * 1e-9);
}
