namespace AdaptivePool.Sizing;

/// <summary>
/// When a controller may probe above the size of a class that does not wait long. Behind such a class stands a server, or the cores themselves: a probe above opens connections that stay open when it is over.
/// So it may look rarely, and ever more rarely; below it may look at any time.
/// </summary>
internal sealed class ServerProbeRule(ClassSizeSettings settings)
{
    private const int MostDoublings = 4;
    private TimeSpan _from;
    private int _doublings;

    /// <summary>A new size: the first look comes after the first rest.</summary>
    public void Begin(TimeSpan now)
    {
        _doublings = 0;
        _from = now + settings.ServerUpRest;
    }

    /// <summary>Whether a probe above is allowed at this tick.</summary>
    public bool MayProbeUp(TimeSpan now)
    {
        if (now >= _from + settings.ServerUpTime)
        {
            _doublings = Math.Min(_doublings + 1, MostDoublings);
            _from = now + (settings.ServerUpRest * (1 << _doublings));
        }

        return now >= _from;
    }
}
