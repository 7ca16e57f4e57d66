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
        double late = passed - _askedFor;
        double stopped = late > LateSeconds && used() < RunningCores * late ? late : 0;
        _stoodStill += Math.Clamp(Math.Max(collected - _collected, stopped), 0, Math.Max(0, passed));
        (_lookedAt, _collected) = (elapsed, collected);
        return elapsed - _stoodStill;
    }
}
