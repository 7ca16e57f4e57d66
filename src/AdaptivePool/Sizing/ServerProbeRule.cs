namespace AdaptivePool.Sizing;

/// <summary>
/// When a controller may probe above the size of a class that does not wait long. Behind such a class stands a server, or the cores themselves: a probe above
/// opens connections that stay open when it is over. So it may look a few times in vain while cores are idle, and then rarely; below it may look at any time.
/// </summary>
internal static class ServerProbeRule
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

    /// <summary>More threads were tried in vain so often that idle cores allow no more.</summary>
    /// <param name="refused">How often, since a size above was found better.</param>
    public static bool IsRefused(int refused) => refused >= MostRefused;

    /// <summary>Whether a probe above is allowed.</summary>
    /// <param name="held">For how long the controller has had the class.</param>
    public static bool MayProbeUp(TimeSpan held) =>
        held >= s_firstRest && TimeSpan.FromTicks((held - s_firstRest).Ticks % (s_open + s_rest).Ticks) < s_open;
}
