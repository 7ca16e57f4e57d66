namespace AdaptivePool.Blocking;

/// <summary>
/// When to report that blocking holds up the pool: most workers that hold an item are blocked, and work has waited long enough that a user may feel it; at
/// most once per interval.
/// </summary>
/// <param name="intervalSeconds">The interval; infinite for never.</param>
internal sealed class BlockingReportRule(double intervalSeconds)
{
    /// <summary>A person feels a longer wait as slow (Nielsen, Usability Engineering, 1993: 0.1 s feels instantaneous).</summary>
    private const double NoticeableSeconds = 0.1;
    private double _lastAt = double.NegativeInfinity;

    /// <summary>Workers when the pool was last well, or reported.</summary>
    public int WorkersBefore { get; private set; }

    /// <summary>Whether to report now. The caller calls <see cref="Reported"/> when it has reported.</summary>
    public bool Decide(double now, int workers, int active, int blocked, long queued, double oldestWait)
    {
        if (queued == 0 || 2 * blocked <= active || oldestWait < NoticeableSeconds)
        {
            WorkersBefore = workers;
            return false;
        }

        return now - _lastAt >= intervalSeconds && double.IsFinite(intervalSeconds);
    }

    public void Reported(double now, int workers)
    {
        _lastAt = now;
        WorkersBefore = workers;
    }
}
