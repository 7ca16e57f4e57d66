namespace AdaptivePool.Sizing;

/// <summary>
/// Decides how often a class is looked at. A look at 200 threads costs 0.1 ms, which at 3 ms is a hundredth of two cores. Once a class is settled, it is
/// early enough to look after a quarter of the time after which the class would count as stalled.
/// </summary>
internal static class TickRule
{
    /// <summary>Time between looks while something is lent, tried or measured: 1.6-2.5 % of a core at 2 to 400 threads (sizing study, section 7).</summary>
    public static readonly TimeSpan Shortest = TimeSpan.FromMilliseconds(3);

    /// <summary>Longest time between looks while work waits: a class about which nothing is known may get its first item meanwhile.</summary>
    public static readonly TimeSpan Longest = TimeSpan.FromMilliseconds(10);

    /// <summary>How long work must have waited without any decision about its class until the class is looked at rarely, whatever it is lent. A state that a
    /// second has not changed will not change in ten milliseconds. 64 workers that block beside others cost 4.3 % of a core at the shortest time.</summary>
    public static readonly TimeSpan Calm = TimeSpan.FromSeconds(1);

    /// <summary>A longer time between two looks means that no work waited.</summary>
    public static readonly TimeSpan Rare = TimeSpan.FromMilliseconds(50);

    private const double ShareOfStall = 0.25;

    /// <summary>Time to the next look.</summary>
    /// <param name="settled">Nothing is lent, tried or measured.</param>
    /// <param name="stall">How long nothing must complete before a loan.</param>
    public static TimeSpan Next(bool settled, TimeSpan stall)
    {
        TimeSpan wanted = settled ? stall * ShareOfStall : Shortest;
        return wanted < Shortest ? Shortest : wanted > Longest ? Longest : wanted;
    }
}
