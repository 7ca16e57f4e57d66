namespace AdaptivePool.Sizing;

/// <summary>
/// The time that counts for sizing: what has passed since the start, without what the process stood still: collecting garbage, stopped by a signal, frozen with
/// its container. Nothing can complete in such a time, so it must not count as a stall; a pool that lent threads after each pause would grow for nothing. Is
/// told the clocks, reads none.
/// </summary>
/// <param name="collected">Seconds for which the collector had stopped the process before the start.</param>
/// <param name="used">Reads the CPU seconds of the process since the last look. Called when a look is late.</param>
internal sealed class CountedTime(double collected, Func<double> used)
{
    /// <summary>A thread that is so much later than it asked for has hardly been waiting for a core: 241 ms were the worst seen on a thrashing machine (sizing
    /// study, section 7).</summary>
    private const double LateSeconds = 0.3;

    /// <summary>CPU use, as a share of a core, from which the process was running meanwhile, and only this thread was late.</summary>
    private const double RunningCores = 0.1;

    private double _collected = collected;
    private double _lookedAt;
    private double _askedFor = double.PositiveInfinity;
    private double _stoodStill;

    /// <summary>Says when the next look is due.</summary>
    /// <param name="longest">Time from the last look on; negative when it waits for work.</param>
    public void AskFor(TimeSpan longest) => _askedFor = longest < TimeSpan.Zero ? double.PositiveInfinity : longest.TotalSeconds;

    /// <summary>Takes one look.</summary>
    /// <param name="elapsed">Seconds since the start.</param>
    /// <param name="collected">Seconds for which the collector has stopped the process so far.</param>
    /// <returns>Seconds that count.</returns>
    public double Look(double elapsed, double collected)
    {
        double passed = elapsed - _lookedAt;
        _stoodStill += StoodStill(passed, _askedFor, collected - _collected, IsLate(passed, _askedFor) ? used() : 0);
        (_lookedAt, _collected) = (elapsed, collected);
        return elapsed - _stoodStill;
    }

    /// <summary>Seconds between two looks that do not count.</summary>
    /// <param name="elapsed">Seconds since the look before.</param>
    /// <param name="asked">Seconds after which the next look was due at the latest; infinite when it was to wait for work.</param>
    /// <param name="collecting">Seconds in which all threads stood still for the collector meanwhile.</param>
    /// <param name="used">CPU seconds of the process meanwhile; matters only when the look is late.</param>
    internal static double StoodStill(double elapsed, double asked, double collecting, double used)
    {
        double late = IsLate(elapsed, asked) && used < RunningCores * (elapsed - asked) ? elapsed - asked : 0;
        return Math.Clamp(Math.Max(collecting, late), 0, Math.Max(0, elapsed));
    }

    // It came so late that the process may have stood still.
    private static bool IsLate(double elapsed, double asked) => elapsed - asked > LateSeconds;
}
