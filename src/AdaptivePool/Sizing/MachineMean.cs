namespace AdaptivePool.Sizing;

/// <summary>
/// Mean CPU use over the last moments. One window of 30 ms beside a busy server reads 0 to 0.3 cores of idle time at the same load, and a step taken on such a
/// reading opened connections that nobody needed.
/// </summary>
internal sealed class MachineMean(TimeSpan memory)
{
    private double _own = double.NaN;
    private double _idle = double.NaN;

    /// <summary>Takes one reading.</summary>
    /// <param name="time">Time since the reading before.</param>
    /// <param name="age">Time for which readings are taken, this one's included.</param>
    /// <param name="m">The reading.</param>
    public void Observe(TimeSpan time, TimeSpan age, in MachineObservation m)
    {
        if (!m.Known || time <= TimeSpan.Zero)
        {
            return;
        }

        // A pause says nothing of now: what was known before it fades like everything else.
        double share = double.IsNaN(_own) ? 1 : Math.Min(1, Faded(time) / Faded(age));
        _own = share < 1 ? _own + (share * (m.OwnCores - _own)) : m.OwnCores;
        _idle = share < 1 ? _idle + (share * (m.IdleCores - _idle)) : m.IdleCores;
    }

    /// <summary>Forgets: what was seen belongs to another size.</summary>
    public void Clear() => (_own, _idle) = (double.NaN, double.NaN);

    /// <summary>The mean in place of the reading.</summary>
    /// <param name="m">The reading.</param>
    public MachineObservation Of(in MachineObservation m) => m.Known && !double.IsNaN(_own) ? m with { OwnCores = _own, IdleCores = _idle } : m;

    private double Faded(TimeSpan time) => 1 - Math.Exp(-time / memory);
}
