namespace AdaptivePool.Sizing;

/// <summary>
/// The time that counts for sizing: the time since the start without the time in which the process stood still. It stands still during a garbage collection,
/// when a signal has stopped it, and when its container is frozen. Nothing can complete in such a time, so it must not count as a stall: a pool that lent
/// threads after each pause would grow without need. The clocks are arguments; this type reads none.
/// </summary>
/// <param name="collected">Seconds for which the collector had stopped the process before the start.</param>
/// <param name="used">Reads the CPU seconds of the process since the last look. Called when a look is late.</param>
internal sealed class CountedTime(double collected, Func<double> used)
{
    /// <summary>A thread that is this late has most likely not been waiting for a core: 241 ms were the worst delay seen on a thrashing machine (sizing
    /// study, section 7).</summary>
    private const double LateSeconds = 0.3;

    /// <summary>CPU use of the process, as a share of a core. At this share or more the process was running, and only this thread was late.</summary>
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
        double late = passed - _askedFor;
        double stopped = late > LateSeconds && used() < RunningCores * late ? late : 0;
        _stoodStill += Math.Clamp(Math.Max(collected - _collected, stopped), 0, Math.Max(0, passed));
        (_lookedAt, _collected) = (elapsed, collected);
        return elapsed - _stoodStill;
    }
}
