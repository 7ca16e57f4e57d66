namespace AdaptivePool.Internal;

/// <summary>
/// The scopes (<see cref="BlockingScope"/>) that are open on a thread, the outermost one first. Each scope has a unique number, so that a scope that is
/// closed a second time is known to be closed. For one thread only.
/// </summary>
internal sealed class ScopeNumbers
{
    private readonly List<long> _numbers = [];
    private long _last;

    /// <summary>The number of open scopes.</summary>
    public int Count => _numbers.Count;

    /// <summary>Opens a scope.</summary>
    /// <returns>Its number.</returns>
    public long Open()
    {
        _numbers.Add(++_last);
        return _last;
    }

    /// <summary>The number of scopes that are open around a scope; negative where it is closed.</summary>
    /// <param name="number">Its number.</param>
    public int PlaceOf(long number) => _numbers.LastIndexOf(number);

    /// <summary>Closes all but the outermost scopes.</summary>
    /// <param name="from">Number of scopes that stay open; at most the number of open scopes.</param>
    public void CloseFrom(int from) => _numbers.RemoveRange(from, _numbers.Count - from);
}
