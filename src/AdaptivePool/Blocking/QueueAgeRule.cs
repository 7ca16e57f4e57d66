namespace AdaptivePool.Blocking;

/// <summary>
/// How long items of a class wait, from counts alone: once as many items have started as were queued at a mark, all of those have waited no longer than since
/// the mark, and the last of them about that long. Queueing costs nothing for it.
/// </summary>
internal sealed class QueueAgeRule
{
    private double _markAt = double.NaN;
    private long _markQueued;
    private long _markStarted;
    private double _lastWait;

    /// <summary>Takes a look into account.</summary>
    /// <param name="now">Time in seconds.</param>
    /// <param name="queued">Items waiting.</param>
    /// <param name="started">Items ever started.</param>
    /// <returns>The wait of the oldest item, in seconds, exact to a look.</returns>
    public double Observe(double now, long queued, long started)
    {
        if (queued == 0)
        {
            _markAt = double.NaN;
            _lastWait = 0;
            return 0;
        }

        if (double.IsNaN(_markAt))
        {
            Mark(now, queued, started);
        }
        else if (started - _markStarted >= _markQueued)
        {
            _lastWait = now - _markAt;
            Mark(now, queued, started);
        }

        return Math.Max(_lastWait, now - _markAt);
    }

    private void Mark(double now, long queued, long started)
    {
        _markAt = now;
        _markQueued = queued;
        _markStarted = started;
    }
}
