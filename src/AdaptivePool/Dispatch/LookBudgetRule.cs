namespace AdaptivePool.Dispatch;

/// <summary>How many stacks may be looked at: a bucket of looks that fills with time, kept as one number, the time up to which looks are used up.</summary>
internal static class LookBudgetRule
{
    /// <summary>At 20 to 40 us each: under half a percent of a core.</summary>
    public const int PerSecond = 100;

    /// <summary>Looks at once after a quiet time: enough to name every worker of a pool that starves.</summary>
    public const int Most = 256;

    /// <summary>Takes one look.</summary>
    /// <param name="usedUpTo">What the take before returned; <see cref="long.MinValue"/> at first.</param>
    /// <param name="now">Time in ticks.</param>
    /// <param name="ticksPerSecond">Ticks per second.</param>
    /// <returns>The new time up to which looks are used up; when it is later than <paramref name="now"/> there is no look to take, and the old one
    /// stays.</returns>
    public static long Take(long usedUpTo, long now, long ticksPerSecond)
    {
        long step = ticksPerSecond / PerSecond;
        return Math.Max(usedUpTo, now - (Most * step)) + step;
    }
}
