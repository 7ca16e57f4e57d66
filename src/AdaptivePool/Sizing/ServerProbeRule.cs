namespace AdaptivePool.Sizing;

/// <summary>
/// When a controller may probe above the size of a class that does not wait long. Behind such a class stands a server, or the cores themselves: a probe above
/// opens connections that stay open when it is over. So it may look a few times in vain while cores are idle, and then rarely; below it may look at any time.
/// </summary>
internal sealed class ServerProbeRule
{
    // Cores that a server leaves idle are no room, and it remembers what it was shown: more threads are tried so often in vain, and then rarely. Without any
    // such look a class of a server that 15 threads serve best stayed at 8 for good.
    private const int MostRefused = 4;

    // A probe one connection above cost 10 to 30 % of the throughput until the driver closed it.
    private static readonly TimeSpan s_firstRest = TimeSpan.FromMinutes(1);

    // What was not better a minute after a size was found is hardly better later.
    private static readonly TimeSpan s_rest = TimeSpan.FromMinutes(4);

    // A few periods of the controller's wave.
    private static readonly TimeSpan s_open = TimeSpan.FromSeconds(10);

    private TimeSpan _from;
    private int _refused;

    /// <summary>More threads were tried in vain so often that idle cores allow no more.</summary>
    public bool IsRefused => _refused >= MostRefused;

    /// <summary>A new size: the first look comes after the first rest.</summary>
    public void Begin(TimeSpan now)
    {
        _refused = 0;
        _from = now + s_firstRest;
    }

    /// <summary>A probe above brought nothing.</summary>
    public void Refuse() => _refused++;

    /// <summary>A size above was found better: what is above that is not known.</summary>
    public void Rise() => _refused = 0;

    /// <summary>Whether a probe above is allowed at this tick.</summary>
    public bool MayProbeUp(TimeSpan now)
    {
        if (now >= _from + s_open)
        {
            _from = now + s_rest;
        }

        return now >= _from;
    }
}
