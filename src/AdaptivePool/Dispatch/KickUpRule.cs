namespace AdaptivePool.Dispatch;

/// <summary>
/// Up to which item of a lane all have waited too long behind work of higher priority, and how fast the others must be taken so that they do not. Items carry
/// no time: the lane is looked at now and then, and what waited at a look has waited at least since then.
/// </summary>
/// <param name="after">How long is too long; negative for never.</param>
internal sealed class KickUpRule(TimeSpan after)
{
    /// <summary>
    /// Looks remembered within the time. An item that comes after a look counts from the next one on, and that one counts by so much less.
    /// </summary>
    private const int Looks = 64;

    /// <summary>So much of the time is left for what goes otherwise than the numbers say.</summary>
    private const double Spare = 1.0 / 16;

    private readonly Queue<(double At, int UpTo)> _looks = new();
    private double _lastAt = double.NegativeInfinity;
    private int _due;

    /// <summary>Items that must be taken in a second so that none waits too long; infinite when some have.</summary>
    public double NeededPerSecond { get; private set; }

    /// <summary>Looks at the lane.</summary>
    /// <param name="now">Time in seconds.</param>
    /// <param name="waiting">Items that wait.</param>
    /// <param name="taken">Items taken so far; may wrap around.</param>
    /// <returns>Items taken so far once all that have waited too long are.</returns>
    public int Observe(double now, int waiting, int taken)
    {
        if (waiting == 0 || after < TimeSpan.Zero)
        {
            _looks.Clear();
            _due = taken;
            NeededPerSecond = 0;
            return taken;
        }

        double apart = after.TotalSeconds / Looks;
        if (now - _lastAt >= apart || _looks.Count == 0)
        {
            _looks.Enqueue((now, unchecked(taken + waiting)));
            _lastAt = now;
        }

        while (_looks.TryPeek(out (double At, int UpTo) first) && now - first.At >= after.TotalSeconds - apart)
        {
            _due = first.UpTo;
            _looks.Dequeue();
        }

        // What has been taken is not due any more, also where nothing was due for so long that the numbers have gone around.
        if (unchecked(_due - taken) < 0)
        {
            _due = taken;
        }

        NeededPerSecond = Needed(now, taken, apart);
        return _due;
    }

    // What waited at a look must be gone when its time is over, with all that came before it.
    private double Needed(double now, int taken, double apart)
    {
        if (_due != taken)
        {
            return double.PositiveInfinity;
        }

        double needed = 0;
        foreach ((double at, int upTo) in _looks)
        {
            double seconds = at + ((1 - Spare) * after.TotalSeconds) - apart - now;
            int left = unchecked(upTo - taken);
            needed = left <= 0 ? needed : seconds <= 0 ? double.PositiveInfinity : Math.Max(needed, left / seconds);
        }

        return needed;
    }
}
