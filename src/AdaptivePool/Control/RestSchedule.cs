namespace AdaptivePool.Control;

/// <summary>How long to rest: twice as long after every probe that changed nothing, up to a bound; short again after a move.</summary>
internal sealed class RestSchedule
{
    private readonly int _first;
    private readonly int _longest;
    private int _next;

    /// <summary>Creates the schedule.</summary>
    /// <param name="first">First rest, in samples; one or more.</param>
    /// <param name="longest">Longest rest, in samples; not under <paramref name="first"/>.</param>
    public RestSchedule(int first, int longest)
    {
        _first = first;
        _longest = longest;
        _next = first;
    }

    /// <summary>Length of the rest that begins now, in samples.</summary>
    public int Next()
    {
        int rest = _next;
        _next = (int)Math.Min(2L * _next, _longest);
        return rest;
    }

    /// <summary>The next rest is the first one again.</summary>
    public void Reset() => _next = _first;
}
