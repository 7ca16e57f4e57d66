namespace AdaptivePool.Sizing;

/// <summary>
/// How many workers are to end: as many as were idle at every look of a time, down to a minimum. Those that were told to end are still counted among the
/// existing until they have, and must not make others end in their place.
/// </summary>
internal sealed class RetirementRule(TimeSpan idleTimeout)
{
    private double _idleSince;
    private int _fewestIdle = int.MaxValue;
    private long _staying = int.MaxValue;
    private long _createdBefore;

    /// <summary>Takes a look; at the end of the time it says how many are to end.</summary>
    /// <param name="now">Time of the look, in seconds.</param>
    /// <param name="idle">Workers that sleep and have not been told to end.</param>
    /// <param name="existing">Workers that have not ended.</param>
    /// <param name="created">Workers that were ever created.</param>
    /// <param name="minThreads">Workers that stay.</param>
    public int Look(double now, int idle, int existing, long created, int minThreads)
    {
        _fewestIdle = Math.Min(_fewestIdle, idle);
        if (now - _idleSince < idleTimeout.TotalSeconds)
        {
            return 0;
        }

        // Whoever exists beyond those that stayed and those that came since has been told to end.
        int staying = existing - (int)Math.Max(0, existing - _staying - (created - _createdBefore));
        int superfluous = Math.Max(0, Math.Min(_fewestIdle, staying - minThreads));
        (_staying, _createdBefore) = (staying, created);
        (_idleSince, _fewestIdle) = (now, int.MaxValue);
        return superfluous;
    }

    /// <summary>So many were told to end.</summary>
    public void Told(int count) => _staying -= count;

    /// <summary>Seconds until the time is over.</summary>
    public double SecondsLeft(double now) => idleTimeout.TotalSeconds - (now - _idleSince);
}
