namespace AdaptivePool.Scenarios.Scenarios.BlockingIo;

/// <summary>What an item costs.</summary>
/// <param name="CpuMilliseconds">CPU time in milliseconds.</param>
/// <param name="SleepMilliseconds">Sleep in milliseconds.</param>
public readonly record struct ItemCost(double CpuMilliseconds, int SleepMilliseconds)
{
    /// <summary>Items per second that are physically possible: the cores' limit or the clients', whichever is lower.</summary>
    public double IdealRate(int clients, int cores) =>
        Math.Min(cores * 1_000 / CpuMilliseconds, clients * 1_000 / (CpuMilliseconds + SleepMilliseconds));
}
