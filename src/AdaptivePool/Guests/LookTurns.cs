namespace AdaptivePool.Guests;

/// <summary>What the watch says to the classes about which guests are to be looked at.</summary>
internal sealed class LookTurns
{
    /// <summary>Turns for which a guest that nobody looks at may be on its way: ten seconds of them. The watch does not sleep meanwhile.</summary>
    public const int Open = 2_000;

    private long _now;
    private long _lastUnseenIn = -Open;
    private int _term;

    /// <summary>Number of the turn, which is the time between two looks of the watch.</summary>
    public long Now => Volatile.Read(ref _now);

    /// <summary>Another number each time that all guests of all classes are to be looked at again: what was found before counts no longer.</summary>
    public int Term => Volatile.Read(ref _term);

    /// <summary>Whether guests may be on their way that nobody looks at.</summary>
    public bool AreUnseen => Now - Volatile.Read(ref _lastUnseenIn) < Open;

    /// <summary>The next turn begins. The watch only.</summary>
    public void Next() => Volatile.Write(ref _now, _now + 1);

    /// <summary>All guests are to be looked at again. The watch only.</summary>
    public void LookAtAll() => Volatile.Write(ref _term, _term + 1);

    /// <summary>A guest that nobody looks at goes on elsewhere. Any thread.</summary>
    public void OnUnseen()
    {
        // Each of them passes here, and there is one to write for in each turn.
        long now = Now;
        if (Volatile.Read(ref _lastUnseenIn) != now)
        {
            Volatile.Write(ref _lastUnseenIn, now);
        }
    }
}
