namespace AdaptivePool.Sizing;

/// <summary>Decides whether a pool that closes has waited for its work as long as it may.</summary>
/// <param name="longestSeconds">The longest wait; infinity for as long as it takes.</param>
/// <param name="stuckSeconds">
/// How long the pool waits for work that does not move, when the first time is infinite and the process exits; infinity for as long as it takes. The code
/// that exits the process may itself be one of the items. Such an item ends only with the process, and the process ends only after the pool.
/// </param>
internal sealed class DrainTimeRule(double longestSeconds, double stuckSeconds)
{
    /// <summary>
    /// Share of a core, over the second time, that work which moves uses at least. Work that only checks every 10 ms whether it may continue uses less.
    /// </summary>
    private const double LeastShare = 0.01;

    private double _since = double.NaN;
    private double _movedAt;
    private long _heartbeats;
    private double _cpuSeconds;

    /// <summary>Looks once. The time runs from the first look, or from before it.</summary>
    /// <param name="now">Seconds, on any clock that does not go back.</param>
    /// <param name="seen">What is seen of the end and of the work.</param>
    public bool IsOver(double now, in DrainObservation seen)
    {
        if (double.IsNaN(_since))
        {
            (_since, _movedAt) = (now - seen.SpentSeconds, now);
        }

        if (!seen.IsExiting || seen.Heartbeats != _heartbeats || seen.CpuSeconds - _cpuSeconds >= LeastShare * stuckSeconds)
        {
            (_movedAt, _heartbeats, _cpuSeconds) = (now, seen.Heartbeats, seen.CpuSeconds);
        }

        return now - _since >= longestSeconds || (double.IsPositiveInfinity(longestSeconds) && now - _movedAt >= stuckSeconds);
    }
}
