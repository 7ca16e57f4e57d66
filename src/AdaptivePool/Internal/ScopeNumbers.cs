namespace AdaptivePool.Internal;

/// <summary>
/// The scopes (<see cref="BlockingScope"/>) that are open on a thread, the outermost one first. Each has a number that no other gets, so that one which is
/// closed a second time is known to be closed. One thread only.
/// </summary>
internal sealed class ScopeNumbers
{
    private readonly List<long> _numbers = [];
    private long _last;

    /// <summary>How many are open.</summary>
    public int Count => _numbers.Count;

    /// <summary>Opens one.</summary>
    /// <returns>Its number.</returns>
    public long Open()
    {
        _numbers.Add(++_last);
        return _last;
    }

    /// <summary>How many are open around a scope; negative where it is closed.</summary>
    /// <param name="number">Its number.</param>
    public int PlaceOf(long number) => _numbers.LastIndexOf(number);

    /// <summary>Closes all but the outermost ones.</summary>
    /// <param name="from">How many stay open; no more than there are.</param>
    public void CloseFrom(int from) => _numbers.RemoveRange(from, _numbers.Count - from);
}
