namespace AdaptivePool.Guests;

/// <summary>What the watch tells the classes about which guests to look at.</summary>
internal sealed class LookTurns
{
    /// <summary>Turns for which a guest that is not looked at may be on its way: ten seconds of them. The watch does not sleep meanwhile.</summary>
    public const int Open = 2_000;

    private long _now;
    private long _lastUnseenIn = -Open;
    private int _term;

    /// <summary>Number of the turn, which is the time between two looks of the watch.</summary>
    public long Now => Volatile.Read(ref _now);

    /// <summary>A new number each time that all guests of all classes are to be looked at again: what was found before no longer counts.</summary>
    public int Term => Volatile.Read(ref _term);

    /// <summary>Whether guests may be on their way that are not looked at.</summary>
    public bool AreUnseen => Now - Volatile.Read(ref _lastUnseenIn) < Open;

    /// <summary>Begins the next turn. The watch only.</summary>
    public void Next() => Volatile.Write(ref _now, _now + 1);

    /// <summary>Lets all guests be looked at again. The watch only.</summary>
    public void LookAtAll() => Volatile.Write(ref _term, _term + 1);

    /// <summary>Called when a guest that is not looked at goes on elsewhere. Any thread.</summary>
    public void OnUnseen()
    {
        // Each such guest passes here, but only one in each turn has to write.
        long now = Now;
        if (Volatile.Read(ref _lastUnseenIn) != now)
        {
            Volatile.Write(ref _lastUnseenIn, now);
        }
    }
}
