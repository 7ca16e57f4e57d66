namespace AdaptivePool.Sizing;

/// <summary>
/// Mean CPU use over the last moments. One window of 30 ms beside a busy server reads 0 to 0.3 cores of idle time at the same load, and a step taken on such a
/// reading opened connections that nobody needed.
/// </summary>
internal sealed class MachineMean(TimeSpan memory)
{
    private double _own;
    private double _idle;
    private double _seconds;

    /// <summary>Takes one reading.</summary>
    /// <param name="time">Time since the reading before.</param>
    /// <param name="m">The reading.</param>
    public void Observe(TimeSpan time, in MachineObservation m)
    {
        double elapsed = time.TotalSeconds;
        if (!m.Known || elapsed <= 0)
        {
            return;
        }

        // A pause says nothing of now: what was known before it fades like everything else.
        double keep = Math.Exp(-elapsed / memory.TotalSeconds);
        double weight = Math.Min(elapsed, memory.TotalSeconds);
        _own = (keep * _own) + (weight * m.OwnCores);
        _idle = (keep * _idle) + (weight * m.IdleCores);
        _seconds = (keep * _seconds) + weight;
    }

    /// <summary>Forgets: what was seen belongs to another size.</summary>
    public void Clear() => (_own, _idle, _seconds) = (0, 0, 0);

    /// <summary>The mean in place of the reading.</summary>
    /// <param name="m">The reading.</param>
    public MachineObservation Of(in MachineObservation m) => m.Known && _seconds > 0 ? m with { OwnCores = _own / _seconds, IdleCores = _idle / _seconds } : m;
}
