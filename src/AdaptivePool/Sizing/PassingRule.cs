namespace AdaptivePool.Sizing;

/// <summary>
/// Tells whether short items pass the long ones that hold most workers of a class. Then nothing that the long ones wait for holds the others up. Where all wait
/// for the same, such as a lock whose holder sleeps, nothing passes them, and more threads would only wait, too.
/// </summary>
internal struct PassingRule
{
    private int _active;
    private long _passed;

    /// <summary>While most workers were held, at least as many items as there are workers began and ended.</summary>
    /// <param name="c">The class at the look that <see cref="Observe"/> has taken.</param>
    public readonly bool IsSeen(in ClassObservation c) => _passed > 0 && _passed >= c.Active;

    /// <summary>Takes one look.</summary>
    public void Observe(in ClassObservation c)
    {
        // These were held at the look before, too. An item that was not has begun since then, and if it is not here any more, it has passed them.
        int held = c.CountWaiting(c.Now - c.Elapsed);
        long passed = c.Ended - Math.Max(0, _active - held);
        _active = c.Active;
        _passed = held == 0 || 2 * held < c.Active ? 0 : _passed + Math.Max(0, passed);
    }
}
