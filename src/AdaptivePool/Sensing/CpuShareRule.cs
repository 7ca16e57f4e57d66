namespace AdaptivePool.Sensing;

/// <summary>How the pools of one process share its cores. To the system they are one process, and each pool alone would take the cores as its own.</summary>
internal static class CpuShareRule
{
    /// <summary>An older reading belongs to a pool that sleeps: while items run, a reading is made every tenth of a second.</summary>
    public const double StaleSeconds = 0.3;

    /// <summary>
    /// Threads that the CPU hogs of one pool may have. Each pool gets one after the other until the budget is used up or no pool wants more; one each in any
    /// case.
    /// </summary>
    /// <param name="demands">Threads that the hogs of each pool could use; 0 for a pool without hogs.</param>
    /// <param name="own">Place of the pool that asks.</param>
    /// <param name="budget">Threads that hogs may have in all.</param>
    public static int HogThreads(ReadOnlySpan<int> demands, int own, int budget)
    {
        int given = 0;
        int left = budget;
        for (int level = 1; ; level++)
        {
            int askers = 0;
            for (int i = 0; i < demands.Length; i++)
            {
                if (demands[i] < level)
                {
                    continue;
                }

                askers++;
                if (left > 0 || level == 1)
                {
                    left--;
                    given += i == own ? 1 : 0;
                }
            }

            if (left <= 0 || askers == 0)
            {
                return Math.Max(1, given);
            }
        }
    }

    /// <summary>CPU that counts as the pool's own, in cores: what the process uses less what the workers of other pools were seen to use.</summary>
    /// <param name="process">CPU of the process, in cores.</param>
    /// <param name="own">CPU that the pool's own workers were seen to use, in cores.</param>
    /// <param name="others">The same of all other pools.</param>
    public static double OwnCores(double process, double own, double others) => Math.Max(Math.Min(process, own), process - others);
}
