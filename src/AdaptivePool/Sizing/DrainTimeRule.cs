namespace AdaptivePool.Sizing;

/// <summary>Whether a pool that closes has waited for its work for as long as it may.</summary>
/// <param name="longestSeconds">How long; infinity for as long as it takes.</param>
/// <param name="stuckSeconds">
/// How long work that does not move is waited for where the first time is infinite and the process exits; infinity for as long as it takes. What exits the
/// process may be one of the items, which then ends when the process does, and the process when the pool has ended.
/// </param>
internal sealed class DrainTimeRule(double longestSeconds, double stuckSeconds)
{
    /// <summary>
    /// Share of a core that work uses which moves, over the second time: what only looks now and then whether it may go on, every 10 ms, uses less.
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
