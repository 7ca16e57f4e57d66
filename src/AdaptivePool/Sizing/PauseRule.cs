namespace AdaptivePool.Sizing;

/// <summary>
/// How long the process stood still between two looks: collecting garbage, stopped by a signal, frozen with its container. Nothing can complete in such a time,
/// so it must not count as a stall; a pool that lent threads after each pause would grow for nothing.
/// </summary>
internal static class PauseRule
{
    /// <summary>A thread that is so much later than it asked for has hardly been waiting for a core: 241 ms were the worst seen on a thrashing machine (sizing
    /// study, section 7).</summary>
    private const double LateSeconds = 0.3;

    /// <summary>CPU use, as a share of a core, from which the process was running meanwhile, and only this thread was late.</summary>
    private const double RunningCores = 0.1;

    /// <summary>Whether a look came so late that the process may have stood still.</summary>
    /// <param name="elapsed">Seconds since the look before.</param>
    /// <param name="asked">Seconds after which it was due.</param>
    public static bool IsLate(double elapsed, double asked) => elapsed - asked > LateSeconds;

    /// <summary>Seconds that do not count.</summary>
    /// <param name="elapsed">Seconds since the look before.</param>
    /// <param name="asked">Seconds after which the next look was due at the latest; infinite when it was to wait for work.</param>
    /// <param name="collecting">Seconds in which all threads stood still for the collector meanwhile.</param>
    /// <param name="used">CPU seconds of the process meanwhile; matters only when the look is late.</param>
    public static double StoodStill(double elapsed, double asked, double collecting, double used)
    {
        double late = IsLate(elapsed, asked) && used < RunningCores * (elapsed - asked) ? elapsed - asked : 0;
        return Math.Clamp(Math.Max(collecting, late), 0, Math.Max(0, elapsed));
    }
}
