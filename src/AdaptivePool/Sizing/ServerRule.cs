namespace AdaptivePool.Sizing;

/// <summary>
/// Whether a server may stand behind a class that remembers how many threads it has seen. Who sleeps, or waits for tasks of this pool, waits for none. Averaged, because on full cores most of those that slept
/// wait for a core at once.
/// </summary>
internal sealed class ServerRule(ClassSizeSettings settings)
{
    private TimeSpan _lastAt;
    private double _sleeping;
    private double _seconds;

    /// <summary>The steps and probes of the class must be careful ones.</summary>
    public bool MayHaveServer => !(_sleeping >= settings.FreeSleepersShare * _seconds) || _seconds <= 0;

    /// <summary>Takes one tick.</summary>
    public void Observe(in ClassObservation c)
    {
        double elapsed = Math.Max(0, (c.Now - _lastAt).TotalSeconds);
        _lastAt = c.Now;
        if (c.Active == 0)
        {
            return;
        }

        double keep = Math.Exp(-elapsed / settings.MachineMemory.TotalSeconds);
        double weight = Math.Min(elapsed, settings.MachineMemory.TotalSeconds);
        _sleeping = (keep * _sleeping) + (weight * c.SleepingShare);
        _seconds = (keep * _seconds) + weight;
    }
}
