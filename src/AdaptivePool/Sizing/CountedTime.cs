namespace AdaptivePool.Sizing;

/// <summary>
/// The time that counts for sizing: what has passed since the start, without what the process stood still (<see cref="PauseRule"/>). Is told the clocks, reads
/// none.
/// </summary>
/// <param name="collected">Seconds for which the collector had stopped the process before the start.</param>
/// <param name="used">Reads the CPU seconds of the process since the last look. Called when a look is late.</param>
internal sealed class CountedTime(double collected, Func<double> used)
{
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
        _stoodStill += PauseRule.StoodStill(passed, _askedFor, collected - _collected, PauseRule.IsLate(passed, _askedFor) ? used() : 0);
        (_lookedAt, _collected) = (elapsed, collected);
        return elapsed - _stoodStill;
    }
}
