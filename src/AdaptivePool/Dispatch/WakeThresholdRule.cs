using System.Numerics;

namespace AdaptivePool.Dispatch;

/// <summary>
/// How many items of a class may wait for the running worker before another one is woken: as many as the running worker ends in about the time that the other
/// takes to wake. A wake for less work costs more than it brings, and two workers that empty one short queue take its head from each other.
/// </summary>
internal static class WakeThresholdRule
{
    /// <summary>
    /// Items that may always wait while items are short: at under 20 us each, and often under 10, the last of them starts about when a woken worker would.
    /// </summary>
    public const int Least = 8;

    /// <summary>More than this never wait, however short the items were: the next ones may be longer.</summary>
    public const int Most = 512;

    /// <summary>Where this many may wait, items are tiny, under 0.3 us: about as long as it takes to queue them.</summary>
    public const int Tiny = 64;

    /// <summary>Time of a wake with its cold caches. Items that take longer do not wait for others.</summary>
    public const double WakeSeconds = 20e-6;

    /// <summary>The number for items of a mean length: a power of two, so that it seldom changes.</summary>
    /// <param name="meanSeconds">Mean length of items that are shorter than a wake.</param>
    public static int AtMost(double meanSeconds)
    {
        double items = WakeSeconds / Math.Max(meanSeconds, WakeSeconds / Most);
        return items <= Least ? Least : 1 << BitOperations.Log2((uint)items);
    }

    /// <summary>Whether items end about as fast as they are queued.</summary>
    /// <param name="atMost">What <see cref="AtMost"/> says.</param>
    public static bool IsTiny(int atMost) => atMost >= Tiny;

    /// <summary>One in this many queued items looks at the length of the queue, which costs more than to queue the item when items are tiny.</summary>
    /// <param name="atMost">What <see cref="AtMost"/> says.</param>
    public static int LookOneIn(int atMost) => Math.Max(1, atMost / Least);
}
