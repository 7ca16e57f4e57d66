namespace AdaptivePool.Sizing;

/// <summary>
/// Bounds and constants of a class's sizing. The constants were found on real threads in front of a real PostgreSQL with 2 cores; each says what it guards.
/// Shares are fractions of the allowed cores, gains natural logarithms.
/// </summary>
internal sealed record ClassSizeSettings
{
    /// <summary>Limit of a class nothing is known about.</summary>
    public required int StartLimit { get; init; }

    /// <summary>
    /// What the user wants a class to have before anything was measured; 0 for no wish. It is the first step of a class that waits for nothing that slows down:
    /// below that nobody would be helped, and a server keeps the connections that so many have opened.
    /// </summary>
    public int Wished { get; init; }

    /// <summary>Highest limit. Default 32,767, the runtime pool's own maximum.</summary>
    public int MaxLimit { get; init; } = 32_767;

    /// <summary>How long a class must have been empty until nobody counts as connected to it. Default 60 s, that of the pool's idle threads.</summary>
    public TimeSpan IdleTimeout { get; init; } = TimeSpan.FromSeconds(60);

    /// <summary>Name of the class in traces.</summary>
    public string Name { get; init; } = "";

    /// <summary>Items of the class continue work that has started: a stall holds up others, so what it is lent always doubles at the sleepers' pace.</summary>
    public bool InFlight { get; init; }

    /// <summary>How long nothing must complete for threads to be lent, fixed by the user; null: what follows from the service times.</summary>
    public TimeSpan? StallLimit { get; init; }

    /// <summary>From this own CPU on nothing is lent but to sleepers: the process is busy, not blocked.</summary>
    public const double LoanOwnShare = 0.6;

    /// <summary>Idle CPU under which only others are busy: ten times the wait.</summary>
    public const double LoanIdleShare = 0.2;

    /// <summary>
    /// Shortest wait for items that never complete before a size is judged without them, and they count as stuck; or 3 x the long service time if that is
    /// longer.
    /// </summary>
    public static readonly TimeSpan Patience = TimeSpan.FromSeconds(2);

    /// <summary>Largest ramp step. 4 costs 0.1 to 0.2 s at 20 ms per item and is the cheapest insurance found.</summary>
    public const double MaxStep = 4;

    /// <summary>
    /// Up to which a class goes in large steps beside others that fill the server, in threads. Beside 256 other callers of PostgreSQL 64 more have a quarter of
    /// the answers, and more take from the others more than they add. Its default is 100 connections.
    /// </summary>
    public const int ShareSize = 64;

    /// <summary>Doublings are tried whatever the CPU says up to this many times the cores.</summary>
    private const int SmallSizeFactor = 4;

    /// <summary>Idle share under which the model N / utilisation holds no information.</summary>
    public const double IdleFloor = 0.08;

    /// <summary>Two generations agree within this ratio less one.</summary>
    public const double SettledTolerance = 0.25;

    /// <summary>Growth of the window after each disagreement.</summary>
    public const double WindowGrowth = 1.5;

    /// <summary>Longest window.</summary>
    public static readonly TimeSpan MaxWindow = TimeSpan.FromMilliseconds(250);

    /// <summary>How long a size that the ramp has just verified is left alone before the controller probes around it.</summary>
    public TimeSpan FreshRest { get; init; } = TimeSpan.FromSeconds(2);

    /// <summary>The same for a class that does not wait long: the server behind it remembers what was probed.</summary>
    public TimeSpan ServerRest { get; init; } = TimeSpan.FromSeconds(10);

    /// <summary>
    /// How long the kept size must not be granted (the pool's maximum, another class, memory) before the class goes on from what it gets: another class's burst
    /// must not cost it what it has found.
    /// </summary>
    public static readonly TimeSpan KeptNotGranted = TimeSpan.FromSeconds(10);

    /// <summary>Size up to which steps are small, in threads.</summary>
    /// <param name="cores">Cores the process may use.</param>
    public static int SmallSizeOf(int cores) => SmallSizeFactor * Math.Max(1, cores);

    /// <summary>How long to wait for items that may never complete.</summary>
    public static TimeSpan PatienceFor(double longServiceSeconds)
    {
        double seconds = Math.Max(Patience.TotalSeconds, 3 * Math.Min(longServiceSeconds, 3600));
        return TimeSpan.FromSeconds(seconds);
    }
}
