namespace AdaptivePool.Sizing;

/// <summary>
/// Slots beyond the usual ones for work of classes with a weight that would wait for ever: items are not interrupted, and those that hold all slots may never
/// end. Pure: the time is an argument.
/// </summary>
internal struct SharedStall
{
    /// <summary>
    /// How long no turn must have begun while work waits: as long as low work waits behind high work by default
    /// (<see cref="AdaptivePoolOptions.PriorityKickUp"/>), and ten times the windows in which shares hold.
    /// </summary>
    public const double Seconds = 1;

    private long _turns;
    private double _since;
    private int _extra;

    /// <summary>
    /// Slots beyond the usual ones until the next look: one more for each time that nothing has begun for so long; none as soon as something has.
    /// </summary>
    /// <param name="turns">Turns that have begun so far.</param>
    /// <param name="isPressed">Whether work waits for a slot.</param>
    /// <param name="now">The present time, in seconds.</param>
    public int Extra(long turns, bool isPressed, double now)
    {
        if (turns != _turns || !isPressed)
        {
            (_turns, _since, _extra) = (turns, now, 0);
        }
        else if (now - _since >= Seconds)
        {
            (_since, _extra) = (now, _extra + 1);
        }

        return _extra;
    }
}
