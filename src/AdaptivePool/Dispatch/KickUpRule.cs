namespace AdaptivePool.Dispatch;

/// <summary>
/// Up to which item of a lane all have waited too long behind work of higher priority. Items carry no time: the lane is looked at now and then, and what waited
/// at a look has waited at least since then.
/// </summary>
/// <param name="after">How long is too long; negative for never.</param>
internal sealed class KickUpRule(TimeSpan after)
{
    /// <summary>
    /// Looks remembered within the time. An item that comes after a look counts from the next one on, and that one counts by so much less.
    /// </summary>
    private const int Looks = 64;

    private readonly Queue<(double At, int UpTo)> _looks = new();
    private double _lastAt = double.NegativeInfinity;
    private int _due;

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

        return _due;
    }
}
