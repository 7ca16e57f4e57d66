namespace AdaptivePool.Sizing;

/// <summary>
/// Bounds and constants of a class's sizing. The constants were found on real threads in front of a real PostgreSQL with 2 cores. Each comment says what the
/// constant guards. Shares are fractions of the allowed cores, gains are natural logarithms.
/// </summary>
internal sealed record ClassSizeSettings
{
    /// <summary>Limit of a class about which nothing is known.</summary>
    public required int StartLimit { get; init; }

    /// <summary>
    /// The size that the user wants a class to have before anything has been measured; 0 for no wish. It is the first step of a class that waits for nothing
    /// that slows down: a smaller step would help no caller. It is not used before a server, because a server keeps the connections that so many threads have
    /// opened.
    /// </summary>
    public int Wished { get; init; }

    /// <summary>Highest limit. Default 32,767, the runtime pool's own maximum.</summary>
    public int MaxLimit { get; init; } = 32_767;

    /// <summary>How long a class must have been empty until no client counts as connected to it. Default 60 s, like that of the pool's idle
    /// threads.</summary>
    public TimeSpan IdleTimeout { get; init; } = TimeSpan.FromSeconds(60);

    /// <summary>Name of the class in traces.</summary>
    public string Name { get; init; } = "";

    /// <summary>Items of the class continue work that has started. A stall of the class holds up other work, so its loans always double at the pace for
    /// sleepers.</summary>
    public bool InFlight { get; init; }

    /// <summary>How long nothing must complete before threads are lent, as fixed by the user; null: the time follows from the service times.</summary>
    public TimeSpan? StallLimit { get; init; }

    /// <summary>At this share of own CPU or more, threads are lent to sleepers only: the process is busy, not blocked.</summary>
    public const double LoanOwnShare = 0.6;

    /// <summary>Idle share of the CPU below which only other processes are busy: a loan then waits ten times as long.</summary>
    public const double LoanIdleShare = 0.2;

    /// <summary>
    /// Shortest wait for items that never complete. After it a size is judged without them, and they count as stuck. The wait is 3 x the long service time if
    /// that is longer.
    /// </summary>
    public static readonly TimeSpan Patience = TimeSpan.FromSeconds(2);

    /// <summary>Largest ramp step. A step of 4 costs 0.1 to 0.2 s at 20 ms per item and is the cheapest insurance found.</summary>
    public const double MaxStep = 4;

    /// <summary>
    /// The size up to which a class grows in large steps beside others that fill the server, in threads. Beside 256 other callers of PostgreSQL 64 more get a
    /// quarter of the answers, and a larger number takes more from the others than it adds. The default of PostgreSQL is 100 connections.
    /// </summary>
    public const int ShareSize = 64;

    /// <summary>Up to this many times the cores doublings are tried whatever the CPU says.</summary>
    private const int SmallSizeFactor = 4;

    /// <summary>Idle share below which the model N / utilisation holds no information.</summary>
    public const double IdleFloor = 0.08;

    /// <summary>Share of a measured time in which no work waited. Above it the rate is the demand, and the queue counts as empty.</summary>
    public const double EmptyShare = 0.2;

    /// <summary>Two generations agree when their ratio is within one plus this value.</summary>
    public const double SettledTolerance = 0.25;

    /// <summary>Growth of the window after each disagreement.</summary>
    public const double WindowGrowth = 1.5;

    /// <summary>Longest window.</summary>
    public static readonly TimeSpan MaxWindow = TimeSpan.FromMilliseconds(250);

    /// <summary>How long a size that the ramp has just verified is left alone before the controller probes around it.</summary>
    public TimeSpan FreshRest { get; init; } = TimeSpan.FromSeconds(2);

    /// <summary>The same for a class that does not wait long: the server behind it remembers every probe.</summary>
    public TimeSpan ServerRest { get; init; } = TimeSpan.FromSeconds(10);

    /// <summary>
    /// How long the kept size must not have been granted (because of the pool's maximum, another class or memory) before the class continues from the size
    /// that it gets. A burst of another class must not cost the class the size that it has found.
    /// </summary>
    public static readonly TimeSpan KeptNotGranted = TimeSpan.FromSeconds(10);

    /// <summary>Size up to which steps are small, in threads.</summary>
    /// <param name="cores">Cores the process may use.</param>
    public static int SmallSizeOf(int cores) => SmallSizeFactor * Math.Max(1, cores);

    /// <summary>Items take longer than the longest window: a rate that was counted in a window of them says nothing.</summary>
    /// <param name="longServiceSeconds">How long the long items of the class take.</param>
    public static bool IsLong(double longServiceSeconds) => longServiceSeconds > MaxWindow.TotalSeconds;

    /// <summary>How long to wait for items that may never complete.</summary>
    public static TimeSpan PatienceFor(double longServiceSeconds)
    {
        double seconds = Math.Max(Patience.TotalSeconds, 3 * Math.Min(longServiceSeconds, 3600));
        return TimeSpan.FromSeconds(seconds);
    }
}
