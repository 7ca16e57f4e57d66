namespace AdaptivePool.Sizing;

/// <summary>
/// Decides when a controller may probe above the size of a class that does not wait long. Behind such a class stands a server, or the cores themselves. A
/// probe above opens connections that stay open after it. On full cores, and from a verified size, the controller therefore looks above rarely; it may look
/// below at any time.
/// </summary>
internal static class ServerProbeRule
{
    // A probe one connection above cost 10 to 30 % of the throughput until the driver closed it.
    private static readonly TimeSpan s_firstRest = TimeSpan.FromMinutes(1);

    // A size above that was not better a minute after the size was found is hardly better later.
    private static readonly TimeSpan s_rest = TimeSpan.FromMinutes(4);

    // A few periods of the controller's wave.
    private static readonly TimeSpan s_open = TimeSpan.FromSeconds(10);

    /// <summary>Whether a probe above is allowed.</summary>
    /// <param name="held">How long the controller has had the class.</param>
    public static bool MayProbeUp(TimeSpan held) =>
        held >= s_firstRest && TimeSpan.FromTicks((held - s_firstRest).Ticks % (s_open + s_rest).Ticks) < s_open;
}
