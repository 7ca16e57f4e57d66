namespace AdaptivePool.Sizing;

/// <summary>
/// When a controller may probe above the size of a class that does not wait long. Behind such a class stands a server, or the cores themselves: a probe above
/// opens connections that stay open when it is over. So on full cores, and from a verified size, it looks rarely; below it may look at any time.
/// </summary>
internal static class ServerProbeRule
{
    // A probe one connection above cost 10 to 30 % of the throughput until the driver closed it.
    private static readonly TimeSpan s_firstRest = TimeSpan.FromMinutes(1);

    // What was not better a minute after a size was found is hardly better later.
    private static readonly TimeSpan s_rest = TimeSpan.FromMinutes(4);

    // A few periods of the controller's wave.
    private static readonly TimeSpan s_open = TimeSpan.FromSeconds(10);

    /// <summary>Whether a probe above is allowed.</summary>
    /// <param name="held">For how long the controller has had the class.</param>
    public static bool MayProbeUp(TimeSpan held) =>
        held >= s_firstRest && TimeSpan.FromTicks((held - s_firstRest).Ticks % (s_open + s_rest).Ticks) < s_open;
}
