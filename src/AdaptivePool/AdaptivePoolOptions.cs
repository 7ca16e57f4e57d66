using System.Diagnostics.Metrics;
using AdaptivePool.Control;

namespace AdaptivePool;

/// <summary>
/// Settings of an <see cref="AdaptiveThreadPool"/>. The pool keeps its own copy; later changes do not reach it. Bad values are refused when the pool is
/// created.
/// </summary>
public sealed class AdaptivePoolOptions
{
    /// <summary>Default of <see cref="MaxThreads"/>: that of the runtime's pool.</summary>
    public const int DefaultMaxThreads = 32_767;

    /// <summary>Default of <see cref="StackSize"/> in bytes.</summary>
    public const int DefaultStackSize = 1_536 * 1_024;

    /// <summary>Name of the pool, in thread names, metrics and logs. Not empty, without control characters. Default "default".</summary>
    public string Name { get; set; } = "default";

    /// <summary>
    /// Threads that stay alive when idle, and the lowest value of the pool's target. 1 to <see cref="MaxThreads"/>. Default: the number of processors, at most
    /// <see cref="MaxThreads"/>. A higher value keeps more threads ready after a quiet time; it does not make a work class start with more.
    /// </summary>
    [OptionRange(1, DefaultMaxThreads, MaximumOption = nameof(MaxThreads))]
    public int? MinThreads { get; set; }

    /// <summary>
    /// Highest number of pool threads. 1 to 32,767. Default 32,767. A higher value lets more items block at once; threads of LongRunning tasks are not counted.
    /// With code that blocks on other items of the same pool (sync over async), a low value can leave nobody to run the work that is waited for.
    /// </summary>
    [OptionRange(1, DefaultMaxThreads)]
    public int MaxThreads { get; set; } = DefaultMaxThreads;

    /// <summary>
    /// Threads that each work class may use before anything was measured. 1 to <see cref="MaxThreads"/>. Default: the number of processors, at most
    /// <see cref="MaxThreads"/>. A higher value helps work that blocks from its first item on. With <see cref="PoolSizing.Adaptive"/> a class begins with at
    /// most four per processor, and takes the rest as its first step when its work is seen to sleep or to wait evenly. The reason: a server behind it keeps the
    /// connections that too many threads have opened, and stays slower for it.
    /// </summary>
    [OptionRange(1, DefaultMaxThreads, MaximumOption = nameof(MaxThreads))]
    public int? InitialThreads { get; set; }

    /// <summary>
    /// How long threads must have been superfluous before they end, down to <see cref="MinThreads"/>. Of several, half end after each quarter of it. 100 ms to
    /// 24 h. Default 60 s. A higher value keeps threads longer after a burst.
    /// </summary>
    [OptionRange("00:00:00.1", "1.00:00:00")]
    public TimeSpan IdleTimeout { get; set; } = TimeSpan.FromSeconds(60);

    /// <summary>
    /// How long <see cref="AdaptiveThreadPool.DisposeAsync"/> waits for accepted work. Zero to 24 h, or <see cref="Timeout.InfiniteTimeSpan"/>. Default
    /// infinite: accepted work is always finished. What has not started when the time is over is handed to the runtime's pool, so that nothing accepted is
    /// lost.
    /// </summary>
    [OptionRange("00:00:00", "1.00:00:00", OrInfinite = true)]
    public TimeSpan DrainTimeout { get; set; } = Timeout.InfiniteTimeSpan;

    /// <summary>
    /// Who decides how many threads each work class may use: <see cref="PoolSizing.Adaptive"/>, <see cref="PoolSizing.Fixed"/> or
    /// <see cref="PoolSizing.Custom"/>. Not null. Default <see cref="PoolSizing.Adaptive"/>.
    /// </summary>
    public PoolSizing Sizing { get; set; } = PoolSizing.Adaptive;

    /// <summary>
    /// Options of the search where <see cref="Sizing"/> is <see cref="PoolSizing.Adaptive"/>. Default <see langword="null"/>: their defaults. Each has
    /// a range of its own.
    /// </summary>
    public HillClimbingOptions? HillClimbing { get; set; }

    /// <summary>
    /// File to which every step of every controller is logged, one JSON object a line, so that it can be replayed. Not empty. Default <see langword="null"/>:
    /// no log. An existing file is replaced. A file that cannot be written, or that another pool or gate or another process writes, is reported once by
    /// <see cref="AdaptiveThreadPool.Warned"/>. About 1 KB per step and class; steps are 30 ms to some seconds apart.
    /// </summary>
    public string? DecisionLogFile { get; set; }

    /// <summary>
    /// Least time between two reports of code that blocks (<see cref="AdaptiveThreadPool.BlockingReported"/>). 100 ms to 24 h, or
    /// <see cref="Timeout.InfiniteTimeSpan"/> for no reports. Default 10 s. A higher value says less often what goes on for long; blocking that begins is
    /// always reported within it.
    /// </summary>
    [OptionRange("00:00:00.1", "1.00:00:00", OrInfinite = true)]
    public TimeSpan BlockingReportInterval { get; set; } = TimeSpan.FromSeconds(10);

    /// <summary>
    /// How long all workers must be blocked, with <see cref="MaxThreads"/> reached, work waiting and nothing moving, until the pool counts as deadlocked
    /// (<see cref="AdaptiveThreadPool.DeadlockChanged"/>). 100 ms to 24 h, or <see cref="Timeout.InfiniteTimeSpan"/> for never. Default 30 s: what waits for a
    /// database's answer ends by itself by then, because that is the default command timeout of ADO.NET. A higher value leaves more time to slow work.
    /// </summary>
    [OptionRange("00:00:00.1", "1.00:00:00", OrInfinite = true)]
    public TimeSpan DeadlockTimeout { get; set; } = TimeSpan.FromSeconds(30);

    /// <summary>
    /// Threads beyond <see cref="MaxThreads"/> that run waiting work, past every limit, while the pool is deadlocked; they end afterwards. 0 to 1,000. Default
    /// 0: none. A higher value resolves longer chains of items that wait for each other, and costs as many threads at the worst moment.
    /// </summary>
    [OptionRange(0, AdaptivePoolOptionsValidator.MostEmergencyThreads)]
    public int EmergencyThreads { get; set; }

    /// <summary>
    /// What happens when an item blocks its worker in a managed wait. Default <see cref="BlockingAction.Ignore"/>. Warn and Throw look at the stack of every
    /// wait, some 20 us each. What a class (<see cref="WorkClass.BlockingAction"/>) or the running code
    /// (<see cref="AdaptiveThreadPool.CurrentBlockingAction"/>) says takes precedence. Code inside a <see cref="BlockingScope"/> may always block.
    /// </summary>
    public BlockingAction BlockingAction { get; set; }

    /// <summary>
    /// Whether requests of classes that never wait run where the server put them, which saves the hop to a worker and back. Default true: those of classes
    /// that have earned it, until one waits; see <see cref="WorkClass.TryRunAsGuest"/>. False: all requests run on the pool's workers.
    /// </summary>
    public bool Guests { get; set; } = true;

    /// <summary>
    /// Whether to measure how long work waits in the runtime's pool, and to say once when code that blocks there starves it: see
    /// <see cref="AdaptiveThreadPool.RuntimePoolStarved"/>. Default true. Costs an item of that pool twice per second while either pool is used, and nothing
    /// while none is.
    /// </summary>
    public bool WatchRuntimePool { get; set; } = true;

    /// <summary>
    /// How long nothing of a class must complete, while its work waits, before threads are lent to it. 1 ms to 60 s. Default <see langword="null"/>: the larger
    /// of 10 ms and twice the class's long service time, as it is measured. A fixed value replaces that, as the stall limit of database thread pools does (10
    /// ms to 6 s there); a higher one lends later.
    /// </summary>
    [OptionRange("00:00:00.001", "00:01:00")]
    public TimeSpan? StallLimit { get; set; }

    /// <summary>
    /// Shortest time between two thread starts by the number of threads alive, as in database thread pools: <see cref="DatabaseThreadCreationThrottle"/> or a
    /// table of your own. Its keys are the numbers of threads from which a time holds, 1 or more; its values are these times, zero to 60 s; one step at least.
    /// Below the first step there is no wait, and where no thread is alive one always starts at once. Default <see langword="null"/>: threads start as fast as
    /// the system allows, and measured benefit says how many. With a table, work that waits for a thread of this pool can wait as long as the table says.
    /// </summary>
    public IReadOnlyDictionary<int, TimeSpan>? ThreadCreationThrottle { get; set; }

    /// <summary>
    /// The <see cref="ThreadCreationThrottle"/> of Percona's thread pool, and of MariaDB's but for its last step: no wait below 4 threads, 50 ms below 8,
    /// 100 ms below 16, then 200 ms.
    /// </summary>
    public static IReadOnlyDictionary<int, TimeSpan> DatabaseThreadCreationThrottle => field ??= new Dictionary<int, TimeSpan>
    {
        [4] = TimeSpan.FromMilliseconds(50),
        [8] = TimeSpan.FromMilliseconds(100),
        [16] = TimeSpan.FromMilliseconds(200),
    }.AsReadOnly();

    /// <summary>
    /// Groups that the threads are in. 1 to twice the number of processors, and to 4,096 on the largest machines. Default <see langword="null"/>: one for
    /// each NUMA node whose processors the process may use. A higher value keeps work of one route (<see cref="WorkClass.RunRouted(long, Func{Task},
    /// CancellationToken)"/>) on fewer threads, and costs a look into more queues. <see cref="AdaptiveThreadPool.ThreadGroups"/> changes it while the pool
    /// runs.
    /// </summary>
    [OptionRange(1, AdaptivePoolOptionsValidator.MostGroupsAnywhere)]
    public int? ThreadGroups { get; set; }

    /// <summary>
    /// How long a worker that has run work with a route (<see cref="WorkClass.RunRouted(long, Func{Task}, CancellationToken)"/>) waits for more before it goes
    /// to sleep. 1 us to 10 ms. Default <see langword="null"/>: it goes to sleep at once. Only in classes where more gets done that way: each tries it now and
    /// then, in turns of 25 ms or twenty waits with and without. At most one worker of the pool waits, on a core that nobody else wants. A higher value waits
    /// for items that come later, and uses more CPU. It is the batch execution of database thread pools (thread_pool_batch_wait_timeout in Azure Database for
    /// MySQL).
    /// </summary>
    [OptionRange("00:00:00.000001", "00:00:00.01")]
    public TimeSpan? BatchWait { get; set; }

    /// <summary>
    /// Threads of each group, beside the first, that may run items of a class at once, as in database thread pools. 1 to 1,000, the range of Percona Server.
    /// Default <see langword="null"/>: the pool finds the size of each class by measuring. With a value, the limit of each class is the number of groups
    /// times this value plus one. A class gets more only while nothing of it completes for <see cref="StallLimit"/>. One that keeps the processors busy gets at
    /// most one thread more than there are processors. A higher value lets more items wait at once, and run at once when they stop waiting. Replaces the search
    /// of <see cref="Sizing"/>, which must be <see cref="PoolSizing.Adaptive"/>.
    /// </summary>
    [OptionRange(1, AdaptivePoolOptionsValidator.MostOversubscribed)]
    public int? Oversubscribe { get; set; }

    /// <summary>
    /// Values of options that are not set. Default <see cref="PoolPreset.None"/>: those that each option's description calls its default. With
    /// <see cref="PoolPreset.DatabaseCompatible"/> those of database thread pools. What is set beats it.
    /// </summary>
    public PoolPreset Preset { get; set; }

    /// <summary>
    /// Whether the threads of a group run on the processors of one NUMA node, and so does every thread that their work starts. The nodes are handed out in
    /// turn: group 3 of two nodes is on the second. Default false: threads run anywhere. Linux only; elsewhere it has no effect, which
    /// <see cref="AdaptiveThreadPool.Warned"/> tells.
    /// </summary>
    public bool NodeAffinity { get; set; }

    /// <summary>
    /// Most work classes that have a limit of their own, the default class included. Work of further names runs in the default class, and
    /// <see cref="AdaptiveThreadPool.Warned"/> says so. 1 to 10,000. Default 256.
    /// </summary>
    [OptionRange(1, AdaptivePoolOptionsValidator.MostClasses)]
    public int MaxClasses { get; set; } = 256;

    /// <summary>
    /// Most root items of each work class that may wait for a worker, in items, beside those for which there is a place at once. 1 to 2,147,483,647. Default
    /// <see langword="null"/>: any number. One more is refused with a <see cref="WorkRefusedException"/>. A higher value refuses later, and lets each item wait
    /// longer. A class may say otherwise for itself: <see cref="WorkClass.MaxQueued"/>, where it stands what is never refused.
    /// </summary>
    [OptionRange(1, int.MaxValue)]
    public int? MaxQueued { get; set; }

    /// <summary>
    /// Longest time that a root item of each work class may wait for a worker. 1 ms to 24 h, or <see cref="Timeout.InfiniteTimeSpan"/>. Default
    /// <see langword="null"/>: as long as it takes. One that waited longer is not run and ends with a <see cref="WorkRefusedException"/>. A higher value
    /// refuses fewer items, and runs some for which nobody waits any more. A class may say otherwise for itself: <see cref="WorkClass.MaxQueueTime"/>.
    /// </summary>
    [OptionRange("00:00:00.001", "1.00:00:00", OrInfinite = true)]
    public TimeSpan? MaxQueueTime { get; set; }

    /// <summary>
    /// How long an item may wait behind items of its class that have a higher priority. When one would wait longer, items of lower priority are started in
    /// between, at most every second one; what cannot be started in time even so waits longer. 1 ms to 24 h, or <see cref="Timeout.InfiniteTimeSpan"/> for as
    /// long as it takes. Default 1 s, as the thread pools of databases have it. A higher value keeps more for the higher priorities.
    /// </summary>
    [OptionRange("00:00:00.001", "1.00:00:00", OrInfinite = true)]
    public TimeSpan PriorityKickUp { get; set; } = TimeSpan.FromSeconds(1);

    /// <summary>
    /// Which new items go before others. Default <see cref="HighPriorityMode.Transactions"/>: what is queued inside a transaction that holds a permit of a
    /// <see cref="Admission.TransactionGate"/>, because others wait for that. What continues a running item (what follows its awaits, what it queues in its own
    /// class) goes first in each mode. Where such an item waits with new work, it goes first once it has waited for <see cref="PriorityKickUp"/>, and
    /// <see cref="MaxQueued"/> and <see cref="MaxQueueTime"/> never refuse it.
    /// </summary>
    public HighPriorityMode HighPriorityMode { get; set; }

    /// <summary>
    /// Items of one transaction that go before new work. The next one waits with new work, and then the transaction has as many again. 1 to 2,147,483,647.
    /// Default <see langword="null"/>: all of them, as with the default of database thread pools (4,294,967,295). A higher value ends transactions sooner; a
    /// lower one keeps those with many items from holding up new work. For <see cref="HighPriorityMode.Transactions"/> only. One lease of a gate is one
    /// transaction, with the leases inside it.
    /// </summary>
    [OptionRange(1, int.MaxValue)]
    public int? HighPriorityTickets { get; set; }

    /// <summary>
    /// Order among the new work of its class for the first request of a connection: over HTTP/1.1 and HTTP/2 on Kestrel, the first that
    /// <c>UseAdaptivePool()</c> sees of it. Default <see langword="null"/>: <see cref="WorkPriority.Normal"/>, and <see cref="WorkPriority.High"/> with
    /// <see cref="PoolPreset.DatabaseCompatible"/>, as threadpool_new_conn_high_prio has it, because a client that has just connected gives up soonest. A
    /// server of your own asks <see cref="AdaptiveThreadPool.NewConnectionPriority"/>.
    /// </summary>
    public WorkPriority? NewConnectionPriority { get; set; }

    /// <summary>
    /// Stack size of pool threads in bytes, those of LongRunning tasks included. 256 KiB to 64 MiB, or 0 for what the system gives (8 MiB on most Linux
    /// systems). Default 1.5 MiB, as .NET threads have on Windows and Alpine: code may recurse as deep as there. A higher value allows deeper recursion and
    /// reserves address space per thread. Only pages that were used become memory: about 20 KiB for a thread that was never deep, whatever the size. What one
    /// deep recursion has used stays used until the thread ends. On the last 128 KiB of a stack the runtime runs no task on the thread that waits for it.
    /// </summary>
    [OptionRange(256 * 1_024, 64 * 1_024 * 1_024, OrZero = true, Unit = "bytes")]
    public int StackSize { get; set; } = DefaultStackSize;

    /// <summary>
    /// Share of the memory limit from which the pool adds no thread, except to one that can run. 0.1 to 1. Default 0.9, where the runtime's collector too
    /// begins to fight for memory. The limit is that of the container, of an enclosing one, or of the collector, whichever is nearest; the machine's memory
    /// where there is none. A higher value lets the pool grow nearer to being killed; 1 leaves it to the system to refuse.
    /// </summary>
    [OptionRange(0.1, 1)]
    public double MemoryLimitShare { get; set; } = 0.9;

    /// <summary>
    /// Who makes the meter that the pool's metrics are in (<see cref="Diagnostics.MetricNames"/>). Default <see langword="null"/>: the pools of the process
    /// share one. A web application gives its own factory, so that a test which has that sees this application's pools alone.
    /// </summary>
    public IMeterFactory? MeterFactory { get; set; }

    /// <summary>All that is wrong with the options, each with the option, its value and what is allowed; empty when they are good.</summary>
    public IReadOnlyList<string> FindErrors() => [.. AdaptivePoolOptionsValidator.Failures(this).Select(static failure => failure.Message)];

    /// <summary>Throws for the first thing that is wrong, as creating a pool does.</summary>
    /// <exception cref="ArgumentOutOfRangeException">An option is out of its range; the message names option, value and range.</exception>
    public void ThrowIfInvalid() => OptionCheck.ThrowFirst(AdaptivePoolOptionsValidator.Failures(this));

    internal int EffectiveMinThreads => MinThreads ?? Math.Min(Environment.ProcessorCount, MaxThreads);

    internal AdaptivePoolOptions Copy() => (AdaptivePoolOptions)MemberwiseClone();

    /// <summary>
    /// A copy in which the preset's values stand where nothing is set: thread_pool_stall_limit and thread_pool_oversubscribe of MariaDB and Percona Server, and
    /// threadpool_new_conn_high_prio of Azure Database for MySQL, by which new connections go to the queue of high priority.
    /// </summary>
    internal AdaptivePoolOptions Resolve()
    {
        AdaptivePoolOptions resolved = Copy();
        if (Preset == PoolPreset.DatabaseCompatible)
        {
            resolved.ThreadGroups ??= Math.Min(Environment.ProcessorCount, AdaptivePoolOptionsValidator.MostGroups);
            resolved.StallLimit ??= TimeSpan.FromMilliseconds(500);
            resolved.ThreadCreationThrottle ??= DatabaseThreadCreationThrottle;
            resolved.NewConnectionPriority ??= WorkPriority.High;
            resolved.Oversubscribe ??= ReferenceEquals(Sizing, PoolSizing.Adaptive) ? 3 : null;
        }

        return resolved;
    }
}
