namespace AdaptivePool.Sizing;

/// <summary>
/// A class whose workers burn CPU never grows past cores + 1, whatever else speaks. Growth stops at the first reading; a verified limit above is taken away
/// only after <see cref="ClassSizeSettings.HogPatience"/>, because a garbage collection or a burst of compiling reads the same for a moment.
/// </summary>
internal sealed class HogRule(ClassSizeSettings settings)
{
    private TimeSpan? _since;
    private TimeSpan? _blockedSince;

    /// <summary>The class reads as a hog: no growth past cores + 1.</summary>
    public bool Active => _since is not null;

    /// <summary>It has done so for long enough to take a verified limit away.</summary>
    public bool Lasting { get; private set; }

    /// <summary>Takes one reading; an unknown share changes nothing.</summary>
    /// <param name="c">The class.</param>
    /// <param name="m">The machine.</param>
    public void Observe(in ClassObservation c, in MachineObservation m)
    {
        if (c.Active > 0 && c.SleepingShare >= settings.SleepersShare)
        {
            // Who sleeps burns nothing: hundreds that wake together wait for a core for a while, and that reads like burning.
            Reset();
            return;
        }

        if (double.IsNaN(c.BlockedShare) || c.Active == 0)
        {
            return;
        }

        if (c.BlockedShare > settings.HogEndShare)
        {
            // The system books a run delay only when it ends: on a full machine a worker that waits for a core looks blocked until then.
            _blockedSince ??= c.Now;
            bool full = m.IdleShare < settings.LoanIdleShare && c.SleepingShare < settings.SleepersShare;
            _since = full && c.Now - _blockedSince < settings.HogEndPatience ? _since : null;
        }
        else
        {
            _blockedSince = null;
            _since = c.BlockedShare < settings.HogShare ? _since ?? c.Now : _since;
        }

        Lasting = _since is { } since && c.Now - since >= settings.HogPatience;
    }

    /// <summary>Forgets everything.</summary>
    public void Reset()
    {
        _since = null;
        _blockedSince = null;
        Lasting = false;
    }
}
