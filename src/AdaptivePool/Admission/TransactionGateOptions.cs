using System.Diagnostics.Metrics;
using System.Threading.RateLimiting;
using AdaptivePool.Control;

namespace AdaptivePool.Admission;

/// <summary>
/// Settings of a <see cref="TransactionGate"/>. The gate keeps its own copy; later changes do not reach it, except through
/// <see cref="TransactionGate.PermitLimit"/>. Bad values are refused when the gate is created.
/// </summary>
public sealed class TransactionGateOptions
{
    // The configuration that MySQL's thread pool recommends, in its default number of groups.
    private const int RecommendedPerCore = 32;
    private const int RecommendedMost = 512;
    private const int RecommendedGroups = 16;

    internal const int Most = 1_000_000;
    internal const int MostGroups = 1_024;

    /// <summary>Name of the gate, in snapshots, thread names and messages. Not empty, without control characters. Default "default".</summary>
    public string Name { get; set; } = "default";

    /// <summary>
    /// The limit: transactions that may be inside at once. 0 to 1,000,000; default 0: no limit, all enter. A higher value burdens the database more:
    /// past its peak it gets slower with each. Can be changed while the gate is in use. For an <see cref="Adaptive"/> gate it says where the search begins.
    /// </summary>
    [OptionRange(0, Most, MinimumMeans = "no limit")]
    public int PermitLimit { get; set; }

    /// <summary>
    /// Whether the gate finds its limit by itself, from the transactions that end per second: it tries other limits for fractions of a second, up only in small
    /// steps, and keeps what is measured to be better. Default false.
    /// <see cref="PermitLimit"/> is then the limit to begin with; 0 begins with 4, or with <see cref="MinLimit"/> or <see cref="MaxLimit"/> where 4 is outside
    /// of these. A limit above 32 begins with 32, or with <see cref="MinLimit"/> if that is higher, unless the gate has a <see cref="Fleet"/>: the search goes
    /// up from there on proof, because what a database keeps of more sessions than it likes no limit takes back. A limit that is set later holds at once.
    /// </summary>
    public bool Adaptive { get; set; }

    /// <summary>
    /// Whether an <see cref="Adaptive"/> gate leaves its limit alone and only tells what it would have been: in <see cref="GateSnapshot.Adaptive"/>, by
    /// <see cref="TransactionGate.LimitChanged"/> and to the meter. Default false.
    /// It compares what the load itself brings about, so it learns most without a limit: <see cref="PermitLimit"/> = 0.
    /// </summary>
    public bool AdaptiveMonitorOnly { get; set; }

    /// <summary>Lowest limit that an <see cref="Adaptive"/> gate sets. 1 to 1,000,000; default 1. A higher value never lets a trial go below it.</summary>
    [OptionRange(1, Most)]
    public int MinLimit { get; set; } = 1;

    /// <summary>
    /// Highest limit that an <see cref="Adaptive"/> gate sets. From <see cref="MinLimit"/> to 1,000,000; default 1,024. A higher value burdens the database
    /// more while one is tried.
    /// </summary>
    [OptionRange(1, Most, MinimumOption = nameof(MinLimit))]
    public int MaxLimit { get; set; } = 1_024;

    /// <summary>
    /// How an <see cref="Adaptive"/> gate searches. Default <see langword="null"/>: the defaults of <see cref="HillClimbingOptions"/> with samples of at least
    /// 100 ms and 100 transactions, a <see cref="HillClimbingOptions.MinImprovement"/> of 0.01, and without the model of CPU use.
    /// </summary>
    public HillClimbingOptions? HillClimbing { get; set; }

    /// <summary>
    /// Where an <see cref="Adaptive"/> gate sees the gates of the same name in other instances before the same database. Default <see langword="null"/>: it
    /// knows of no others, and where there are some each takes from them what it can. With it the limit of all together is what is looked for, and each takes
    /// an equal share, or less where it wants less. <see cref="PermitLimit"/> is what each instance begins with, and stays with while it has not seen the
    /// others; <see cref="MinLimit"/> and <see cref="MaxLimit"/> are those of one instance. A limit set by hand lasts until the next look, except 0: that takes
    /// the instance out until another one is set.
    /// </summary>
    public IGateFleet? Fleet { get; set; }

    /// <summary>
    /// File to which an <see cref="Adaptive"/> gate writes each step of its search as a line of JSON; an existing one is replaced. The scenario tool replays
    /// it. Default <see langword="null"/>: none. Not empty. A file that cannot be written, or that another pool or gate of the process writes, is no error:
    /// nothing is written then. In monitor-only mode there are no steps.
    /// </summary>
    public string? DecisionLogFile { get; set; }

    /// <summary>
    /// Who makes the meter that the metrics of an <see cref="Adaptive"/> gate are in. Default <see langword="null"/>: the pools and gates of the process share
    /// one. A web application gives its own factory.
    /// </summary>
    public IMeterFactory? MeterFactory { get; set; }

    /// <summary>
    /// How many may wait. 0 to 1,000,000; default 10,000. A higher value refuses fewer and lets more wait in vain; 0 refuses whoever finds the gate full. In a
    /// divided gate each group has a share of the places: one that is below it takes a place from the group with the longest queue.
    /// </summary>
    [OptionRange(0, Most)]
    public int QueueLimit { get; set; } = 10_000;

    /// <summary>Longest wait. 1 ms to 24 h; default 30 s. A higher value refuses fewer and answers later under overload.</summary>
    [OptionRange("00:00:00.001", "1.00:00:00")]
    public TimeSpan QueueTimeout { get; set; } = TimeSpan.FromSeconds(30);

    /// <summary>
    /// Who is next among those that wait with the same priority. Default <see cref="System.Threading.RateLimiting.QueueProcessingOrder.OldestFirst"/>: fair,
    /// and under overload all wait long.
    /// </summary>
    public QueueProcessingOrder QueueProcessingOrder { get; set; }

    /// <summary>
    /// Wait after which a lower priority counts as <see cref="TransactionPriority.High"/>. 1 ms to 24 h; default 1 s, as in MariaDB's pool. A higher value
    /// keeps priorities apart for longer.
    /// </summary>
    [OptionRange("00:00:00.001", "1.00:00:00")]
    public TimeSpan KickUpAfter { get; set; } = TimeSpan.FromSeconds(1);

    /// <summary>
    /// Longest wait while the queue has not been empty for <see cref="OverloadInterval"/>. 1 ms to 24 h; default <see langword="null"/>: always
    /// <see cref="QueueTimeout"/>. A higher value refuses fewer under lasting overload
    /// and answers later. Without effect when it is not below the queue timeout.
    /// </summary>
    [OptionRange("00:00:00.001", "1.00:00:00")]
    public TimeSpan? OverloadDelay { get; set; }

    /// <summary>
    /// Time without an empty queue after which there is overload, for <see cref="OverloadDelay"/>. 1 ms to 1 h; default 100 ms. A higher value bears longer
    /// bursts.
    /// </summary>
    [OptionRange("00:00:00.001", "01:00:00")]
    public TimeSpan OverloadInterval { get; set; } = TimeSpan.FromMilliseconds(100);

    /// <summary>
    /// Time without the end of a transaction, since the first one waited, after which a gate where a caller waits raises <see cref="TransactionGate.Stalled"/>.
    /// 1 ms to 24 h; default 30 s, as in MariaDB's pool. A higher value warns later and less often in vain.
    /// </summary>
    [OptionRange("00:00:00.001", "1.00:00:00")]
    public TimeSpan StallAfter { get; set; } = TimeSpan.FromSeconds(30);

    /// <summary>
    /// Partitions with a guaranteed share of their own, and the weight of each: a tenant, a database. Each gets a group of its own; the groups of
    /// <see cref="GroupCount"/>, which all other partitions share, weigh 1 each. The share is the
    /// limit times the weight over the sum of all weights, rounded up. At most 1,024 partitions, each with a weight of 1 to 1,000; default none. A higher
    /// weight guarantees more of the limit and less to the others. Only with a <see cref="GroupCount"/> of 1 or more.
    /// </summary>
    public IDictionary<string, int> GroupWeights { get; private set; } = new Dictionary<string, int>(StringComparer.Ordinal);

    /// <summary>
    /// Groups that the permits are divided among. 0 to 1,024; default 0: one set of permits for all, the cheapest, where a pass is one interlocked operation.
    /// With groups a lease takes a lock, and the share of each is the limit divided by their number, rounded up, unless <see cref="GroupWeights"/> say
    /// otherwise. A higher value keeps partitions better apart and makes each share smaller.
    /// </summary>
    [OptionRange(0, MostGroups, MinimumMeans = "not divided")]
    public int GroupCount { get; set; }

    /// <summary>
    /// Whether a group may use permits that others leave free. Default true: no permit is idle while a caller waits. False makes each share a bound, as in
    /// MySQL's thread pool. False only with a <see cref="GroupCount"/> of 1 or more.
    /// </summary>
    public bool BorrowsBetweenGroups { get; set; } = true;

    /// <summary>
    /// Whether a lease flows with the async context of its caller, so that transactions begun inside it need no permit of their own. Default true: code that
    /// holds a permit never waits for a second one, hence never deadlocks with others like it. False makes the gate a plain limiter, and a pass cheaper; needed
    /// where one flow takes leases for others, such as a dispatch loop, whose later leases would all be nested in its first.
    /// While its transaction holds a permit, what is queued to a pool inside the flow of a lease is work in flight: it waits behind no full class. What is
    /// queued with a lease that does not flow is root work of its class.
    /// </summary>
    public bool FlowsWithContext { get; set; } = true;

    /// <summary>
    /// Says who is let in past the limit, beside <see cref="TransactionPriority.Admin"/>. Called by each caller on its own thread: must be quick and
    /// thread-safe. Default <see langword="null"/>: nobody else.
    /// </summary>
    public Func<TransactionRequest, bool>? Bypass { get; set; }

    /// <summary>
    /// The configuration that MySQL's thread pool recommends for its limit on transactions: 32 per core, at most 512, in 16 groups. Measured for a database on
    /// its own machine; a limit measured for the own database is better.
    /// </summary>
    /// <param name="databaseCores">Cores of the machine that the database runs on; 1 or more.</param>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="databaseCores"/> is less than 1.</exception>
    public static TransactionGateOptions Recommended(int databaseCores)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(databaseCores, 1);
        return new TransactionGateOptions
        {
            PermitLimit = (int)Math.Min(RecommendedMost, (long)databaseCores * RecommendedPerCore),
            GroupCount = RecommendedGroups,
        };
    }

    /// <summary>All that is wrong with the options, each with the option, its value and what is allowed; empty when they are good.</summary>
    public IReadOnlyList<string> FindErrors() => [.. TransactionGateOptionsValidator.Failures(this).Select(static failure => failure.Message)];

    internal bool IsDivided => GroupCount > 0;

    /// <summary>The limit to begin with.</summary>
    internal int StartLimit => !Adaptive || AdaptiveMonitorOnly ? PermitLimit
        : PermitLimit == 0 ? Math.Clamp(TransactionLimitPolicy.DefaultStart, MinLimit, MaxLimit)
        : Fleet is null ? Math.Min(PermitLimit, Math.Max(MinLimit, TransactionLimitPolicy.HighestStart))
        : PermitLimit;

    internal TransactionGateOptions Copy()
    {
        var copy = (TransactionGateOptions)MemberwiseClone();
        copy.GroupWeights = new Dictionary<string, int>(GroupWeights, StringComparer.Ordinal);
        return copy;
    }
}
