namespace AdaptivePool.Sizing;

/// <summary>
/// Tells whether work of classes with a weight would wait for ever: items are not interrupted, and the items that hold all slots may never end. This type is
/// pure: the time is an argument.
/// </summary>
internal struct SharedStall
{
    /// <summary>
    /// How long no turn must have begun while work waits. It is as long as low work waits behind high work by default
    /// (<see cref="AdaptivePoolOptions.PriorityKickUp"/>), and ten times the windows in which shares hold.
    /// </summary>
    public const double Seconds = 1;

    private long _turns;
    private double _since;

    /// <summary>Takes one look.</summary>
    /// <param name="turns">Turns that have begun so far.</param>
    /// <param name="isPressed">Whether work waits for a slot.</param>
    /// <param name="now">The present time, in seconds.</param>
    /// <returns>Whether one more item must begin, whatever runs.</returns>
    public bool Observe(long turns, bool isPressed, double now)
    {
        if (turns != _turns || !isPressed)
        {
            (_turns, _since) = (turns, now);
        }

        return now - _since >= Seconds;
    }
}
