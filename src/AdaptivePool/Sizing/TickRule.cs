namespace AdaptivePool.Sizing;

/// <summary>
/// How often a class must be looked at. A look at 200 threads costs 0.1 ms, which at 3 ms is a hundredth of two cores: once a class is settled, a quarter of
/// the time after which it would count as stalled is early enough.
/// </summary>
internal static class TickRule
{
    /// <summary>Time between looks while something is lent, tried or measured: 1.6-2.5 % of a core at 2 to 400 threads (sizing study, section 7).</summary>
    public static readonly TimeSpan Shortest = TimeSpan.FromMilliseconds(3);

    /// <summary>Longest time between looks while work waits: a class that nothing is known of may get its first item meanwhile.</summary>
    public static readonly TimeSpan Longest = TimeSpan.FromMilliseconds(10);

    /// <summary>How long work must have waited without any decision about its class until the class is looked at rarely, whatever it is lent: what a second has
    /// not changed, ten milliseconds will not. 64 workers that block beside others cost 4.3 % of a core at the shortest time.</summary>
    public static readonly TimeSpan Calm = TimeSpan.FromSeconds(1);

    /// <summary>Longest time between looks that cost much while work waits: so much shorter than <see cref="Rare"/> that one may come late.</summary>
    public static readonly TimeSpan Latest = TimeSpan.FromMilliseconds(30);

    /// <summary>A longer time between two looks means that no work waited.</summary>
    public static readonly TimeSpan Rare = TimeSpan.FromMilliseconds(50);

    /// <summary>So much sooner than it is due a look at all classes comes with one at some of them, in seconds.</summary>
    public static readonly double Slack = Shortest.TotalSeconds / 2;

    // Of one core. A look at 1,000 workers that wait and 256 classes costs 1.5 ms: at every 10 ms that was a fifth of a core of two.
    private const double Share = 0.025;
    private const double ShareInAHurry = 0.1;

    // Of the looks before: one that compiles code, or whose listeners take long, says nothing about the next one.
    private const double CostRise = 0.125;

    private const double ShareOfStall = 0.25;

    /// <summary>What a look costs, as far as it is no exception, in seconds.</summary>
    /// <param name="before">The same after the look before.</param>
    /// <param name="cost">CPU time of the look.</param>
    public static double Cost(double before, double cost) => cost < before ? cost : before + (CostRise * (cost - before));

    /// <summary>The pause after a look: as long as is wanted, or so long that looks use a small share of a core only, if that is not too long.</summary>
    /// <param name="wanted">The pause that is wanted.</param>
    /// <param name="isHurried">Whether a class wants its next look sooner than any class gets one.</param>
    /// <param name="cost">What a look costs, in seconds.</param>
    public static TimeSpan Pause(TimeSpan wanted, bool isHurried, double cost)
    {
        TimeSpan most = isHurried ? Longest : Latest;
        double share = isHurried ? ShareInAHurry : Share;
        double affordable = Math.Min(cost * (1 - share) / share, most.TotalSeconds);
        return affordable > wanted.TotalSeconds ? TimeSpan.FromSeconds(affordable) : wanted;
    }

    /// <summary>Time to the next look.</summary>
    /// <param name="settled">Nothing is lent, tried or measured.</param>
    /// <param name="stall">How long nothing must complete for a loan.</param>
    public static TimeSpan Next(bool settled, TimeSpan stall)
    {
        TimeSpan wanted = settled ? stall * ShareOfStall : Shortest;
        return wanted < Shortest ? Shortest : wanted > Longest ? Longest : wanted;
    }
}
