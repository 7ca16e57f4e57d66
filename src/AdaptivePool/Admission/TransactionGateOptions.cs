using System.Diagnostics.Metrics;
using System.Threading.RateLimiting;

namespace AdaptivePool.Admission;

/// <summary>
/// Settings of a <see cref="TransactionGate"/>. The gate keeps its own copy. Later changes have no effect on it, except through
/// <see cref="TransactionGate.PermitLimit"/>. The constructor of the gate rejects invalid values.
/// </summary>
public sealed class TransactionGateOptions
{
    // The configuration that MySQL's thread pool recommends, in its default number of groups.
    private const int RecommendedPerCore = 32;
    private const int RecommendedMost = 512;
    private const int RecommendedGroups = 16;

    internal const int Most = 1_000_000;
    internal const int MostGroups = 1_024;

    /// <summary>The name of the gate, used in snapshots, thread names and messages. Not empty, without control characters. Default "default".</summary>
    public string Name { get; set; } = "default";

    /// <summary>
    /// The limit: the number of transactions that may be inside the gate at once. 0 to 1,000,000; default 0: no limit, all transactions enter. A higher value
    /// puts more load on the database; beyond its peak, the database gets slower with each further transaction. Can be changed while the gate is in use. For an
    /// <see cref="Adaptive"/> gate it is the limit at which the search begins.
    /// </summary>
    [OptionRange(0, Most, minimumMeans: "no limit")]
    public int PermitLimit { get; set; }

    /// <summary>
    /// Whether the gate finds its limit itself, from the number of transactions that end per second. It tries other limits for fractions of a second, upwards
    /// only in small steps, and keeps the limits that are measured to be better. Default false. <see cref="PermitLimit"/> is then the initial limit. With 0 the
    /// initial limit is 4, or <see cref="MinLimit"/> or <see cref="MaxLimit"/> if 4 is outside of these. A limit above 32 starts with 32, or with
    /// <see cref="MinLimit"/> if that is higher, unless the gate has a <see cref="Fleet"/>. The search goes up from there only on proof: no limit can undo what
    /// a database keeps from more sessions than it can handle. A limit that is set later applies at once.
    /// </summary>
    public bool Adaptive { get; set; }

    /// <summary>
    /// Whether an <see cref="Adaptive"/> gate leaves its limit unchanged and only reports what the limit would have been: in
    /// <see cref="GateSnapshot.Adaptive"/>, with <see cref="TransactionGate.LimitChanged"/> and in the metrics. Default false. The gate compares the numbers of
    /// transactions that the load itself causes, so it learns most without a limit: <see cref="PermitLimit"/> = 0.
    /// </summary>
    public bool AdaptiveMonitorOnly { get; set; }

    /// <summary>The lowest limit that an <see cref="Adaptive"/> gate sets. 1 to 1,000,000; default 1. With a higher value, no trial goes below it.</summary>
    [OptionRange(1, Most)]
    public int MinLimit { get; set; } = 1;

    /// <summary>
    /// The highest limit that an <see cref="Adaptive"/> gate sets. From <see cref="MinLimit"/> to 1,000,000; default 1,024. A higher value puts more load on
    /// the database while the gate tries a high limit.
    /// </summary>
    [OptionRange(1, Most, minimumOption: nameof(MinLimit))]
    public int MaxLimit { get; set; } = 1_024;

    /// <summary>
    /// The options of the search of an <see cref="Adaptive"/> gate. Default <see langword="null"/>: the defaults of <see cref="HillClimbingOptions"/> with
    /// samples of at least 100 ms and 100 transactions, a <see cref="HillClimbingOptions.MinImprovement"/> of 0.01, and without the model of CPU use; with a
    /// <see cref="Fleet"/>, samples of at least 250 ms and an improvement of 0.03. Options that are set replace all of these values.
    /// </summary>
    public HillClimbingOptions? HillClimbing { get; set; }

    /// <summary>
    /// Where an <see cref="Adaptive"/> gate sees the gates of the same name in other instances before the same database. Default <see langword="null"/>: the
    /// gate knows no other gates, and if there are others, each takes as much from them as it can. With a fleet, the gates search for one limit of all gates
    /// together. Each gate takes an equal share of it, or less if it needs less. <see cref="PermitLimit"/> is the initial limit of each instance, which keeps
    /// it while it has not seen the others. <see cref="MinLimit"/> and <see cref="MaxLimit"/> apply to one instance. A limit that is set by hand lasts until
    /// the next look at the other gates. With the value 0 the instance leaves the fleet until another limit is set.
    /// </summary>
    public IGateFleet? Fleet { get; set; }

    /// <summary>
    /// The file to which an <see cref="Adaptive"/> gate writes each step of its search as a line of JSON. An existing file is replaced. The scenario tool can
    /// replay it. Default <see langword="null"/>: no file. Not empty. If the file cannot be written, is deleted, moved or changed by others, or another pool,
    /// gate or process writes it, <see cref="TransactionGate.Warned"/> reports this once, and the gate writes nothing more. In monitor-only mode there are no
    /// steps.
    /// </summary>
    public string? DecisionLogFile { get; set; }

    /// <summary>
    /// The factory that creates the meter for the metrics of an <see cref="Adaptive"/> gate. Default <see langword="null"/>: all pools and gates of the process
    /// share one meter. A web application sets its own factory.
    /// </summary>
    public IMeterFactory? MeterFactory { get; set; }

    /// <summary>
    /// The maximum number of requests that may wait. 0 to 1,000,000; default 10,000. A higher value refuses fewer requests and lets more of them wait in vain.
    /// With 0, the gate refuses every request that finds it full. In a divided gate each group has a share of the places. A group with fewer waiting requests
    /// than its share takes a place from the group with the longest queue.
    /// </summary>
    [OptionRange(0, Most)]
    public int QueueLimit { get; set; } = 10_000;

    /// <summary>
    /// The maximum time that a request waits. 1 ms to 24 h; default 30 s. A higher value refuses fewer requests, and makes responses later under overload.
    /// </summary>
    [OptionRange("00:00:00.001", "1.00:00:00")]
    public TimeSpan QueueTimeout { get; set; } = TimeSpan.FromSeconds(30);

    /// <summary>
    /// Which of the waiting requests with the same priority is next. Default <see cref="System.Threading.RateLimiting.QueueProcessingOrder.OldestFirst"/>,
    /// which is fair, but makes all requests wait long under overload.
    /// </summary>
    public QueueProcessingOrder QueueProcessingOrder { get; set; }

    /// <summary>
    /// The wait after which a request with a lower priority counts as <see cref="TransactionPriority.High"/>. 1 ms to 24 h; default 1 s, as in MariaDB's pool.
    /// A higher value keeps priorities separate for longer.
    /// </summary>
    [OptionRange("00:00:00.001", "1.00:00:00")]
    public TimeSpan KickUpAfter { get; set; } = TimeSpan.FromSeconds(1);

    /// <summary>
    /// The maximum time that a request waits while the queue has not been empty for <see cref="OverloadInterval"/>. 1 ms to 24 h; default
    /// <see langword="null"/>: always <see cref="QueueTimeout"/>. A higher value refuses fewer requests under lasting overload, and makes responses later. It
    /// has no effect if it is not less than the queue timeout.
    /// </summary>
    [OptionRange("00:00:00.001", "1.00:00:00")]
    public TimeSpan? OverloadDelay { get; set; }

    /// <summary>
    /// The time without an empty queue after which the gate is overloaded, for <see cref="OverloadDelay"/>. 1 ms to 1 h; default 100 ms. A higher value
    /// tolerates longer bursts.
    /// </summary>
    [OptionRange("00:00:00.001", "01:00:00")]
    public TimeSpan OverloadInterval { get; set; } = TimeSpan.FromMilliseconds(100);

    /// <summary>
    /// The time in which no transaction ends, counted from the first wait, after which a gate with a waiting request raises
    /// <see cref="TransactionGate.Stalled"/>. 1 ms to 24 h; default 30 s, as in MariaDB's pool. A higher value warns later and gives fewer false warnings.
    /// </summary>
    [OptionRange("00:00:00.001", "1.00:00:00")]
    public TimeSpan StallAfter { get; set; } = TimeSpan.FromSeconds(30);

    /// <summary>
    /// Partitions with a guaranteed share of their own, such as a tenant or a database, and the weight of each. Each of them gets its own group. All other
    /// partitions share the groups of <see cref="GroupCount"/>, which have a weight of 1 each. The share is the limit times the weight over the sum of all
    /// weights, rounded up. At most 1,024 partitions, each with a weight of 1 to 1,000; default none. A higher weight guarantees more of the limit to this
    /// partition and less to the others. Only with a <see cref="GroupCount"/> of 1 or more.
    /// </summary>
    public IDictionary<string, int> GroupWeights { get; private set; } = new Dictionary<string, int>(StringComparer.Ordinal);

    /// <summary>
    /// The number of groups that the permits are divided among. 0 to 1,024; default 0: one set of permits for all requests. This is the cheapest; a pass is one
    /// interlocked operation. With groups, a lease takes a lock, and the share of each group is the limit divided by their number, rounded up, unless
    /// <see cref="GroupWeights"/> say otherwise. A higher value separates partitions better and makes each share smaller.
    /// </summary>
    [OptionRange(0, MostGroups, minimumMeans: "not divided")]
    public int GroupCount { get; set; }

    /// <summary>
    /// Whether a group may use permits that other groups leave free. Default true: no permit is idle while a request waits. With false each share is a hard
    /// bound, as in MySQL's thread pool. False only with a <see cref="GroupCount"/> of 1 or more.
    /// </summary>
    public bool BorrowsBetweenGroups { get; set; } = true;

    /// <summary>
    /// Whether a lease flows with the async context of its caller, so that transactions that begin inside it need no permit of their own. Default true: code
    /// that holds a permit never waits for a second one, so it cannot deadlock with other code that does the same. False makes the gate a plain limiter, and a
    /// pass cheaper. It is needed where one flow takes leases for others, such as a dispatch loop: all later leases of the loop would be nested in its first
    /// lease. While its transaction holds a permit, work that is queued to a pool inside the flow of a lease is in-flight work, which does not wait behind a
    /// full class. Work that is queued with a lease that does not flow is root work of its class.
    /// </summary>
    public bool FlowsWithContext { get; set; } = true;

    /// <summary>
    /// A function that decides which requests enter beyond the limit, in addition to <see cref="TransactionPriority.Admin"/>. Each caller calls it on its own
    /// thread, so it must be quick and thread-safe. Default <see langword="null"/>: no other requests.
    /// </summary>
    public Func<TransactionRequest, bool>? Bypass { get; set; }

    /// <summary>
    /// The configuration that MySQL's thread pool recommends for its transaction limit: 32 per core, at most 512, in 16 groups. It was measured for a database
    /// on its own machine. A limit that you measure for your own database is better.
    /// </summary>
    /// <param name="databaseCores">The number of cores of the machine that the database runs on; 1 or more.</param>
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

    /// <summary>Gets all errors in the options, each with the option, its value and what is allowed; empty when the options are valid.</summary>
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
