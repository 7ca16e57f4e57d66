using System.Diagnostics.Metrics;

namespace AdaptivePool;

/// <summary>
/// Settings of an <see cref="AdaptiveThreadPool"/>. The pool keeps its own copy, so later changes have no effect on it. The constructor of the pool rejects
/// invalid values.
/// </summary>
public sealed class AdaptivePoolOptions
{
    /// <summary>The default of <see cref="MaxThreads"/>. It is the same as in the runtime's pool.</summary>
    public const int DefaultMaxThreads = 32_767;

    /// <summary>The default of <see cref="StackSize"/>, in bytes.</summary>
    public const int DefaultStackSize = 1_536 * 1_024;

    /// <summary>The name of the pool, used in thread names, metrics and logs. Not empty, without control characters. Default "default".</summary>
    public string Name { get; set; } = "default";

    /// <summary>
    /// The number of threads that stay alive when idle, and the lowest target size of the pool. 1 to <see cref="MaxThreads"/>. Default: the number of
    /// processors, at most <see cref="MaxThreads"/>, and fewer where the system allows the process fewer threads. A value that is set holds also there. A
    /// higher value keeps more threads ready after a quiet time. It does not give a work class more threads at its start.
    /// </summary>
    [OptionRange(1, DefaultMaxThreads, maximumOption: nameof(MaxThreads))]
    public int? MinThreads { get; set; }

    /// <summary>
    /// The maximum number of pool threads. 1 to 32,767. Default 32,767. A higher value lets more items block at once. Threads of LongRunning tasks are not
    /// counted. If code blocks on other items of the same pool (sync over async), a low value can leave no thread to run the items that others wait for.
    /// </summary>
    [OptionRange(1, DefaultMaxThreads)]
    public int MaxThreads { get; set; } = DefaultMaxThreads;

    /// <summary>
    /// The number of threads that each work class may use before the pool has measured anything. 1 to <see cref="MaxThreads"/>. Default: the number of
    /// processors, at most <see cref="MaxThreads"/>. A higher value helps work that blocks from its first item on. With <see cref="PoolSizing.Adaptive"/> a
    /// class starts with at most four threads per processor. It gets the rest in its first step, once its work is seen to sleep or to have even waits. The
    /// reason is that a server behind the class keeps the connections that too many threads have opened, and stays slower because of them.
    /// </summary>
    [OptionRange(1, DefaultMaxThreads, maximumOption: nameof(MaxThreads))]
    public int? InitialThreads { get; set; }

    /// <summary>
    /// How long threads must be unneeded before they end, down to <see cref="MinThreads"/>. If several threads are unneeded, half of them end after each
    /// quarter of this time. 100 ms to 24 h. Default 60 s. A higher value keeps threads longer after a burst.
    /// </summary>
    [OptionRange("00:00:00.1", "1.00:00:00")]
    public TimeSpan IdleTimeout { get; set; } = TimeSpan.FromSeconds(60);

    /// <summary>
    /// How long <see cref="AdaptiveThreadPool.DisposeAsync"/> waits for accepted work. Zero to 24 h, or <see cref="Timeout.InfiniteTimeSpan"/>. Default
    /// <see langword="null"/>: infinite, so the pool always finishes accepted work; in an application with a host, what stopping the host has left of its
    /// shutdown timeout. When the time is over, items that have not started are passed to the runtime's pool, so no accepted item is lost. While the process
    /// exits, an infinite wait ends when the work has stood still for <see cref="DeadlockTimeout"/>.
    /// </summary>
    [OptionRange("00:00:00", "1.00:00:00", orInfinite: true)]
    public TimeSpan? DrainTimeout { get; set; }

    /// <summary>
    /// A token that is cancelled when the program begins to stop. <see cref="DrainTimeout"/> counts from then, if the pool is not disposed earlier, so all
    /// pools with this token share one time. The pool continues to accept work until it is disposed. Default <see cref="CancellationToken.None"/>:
    /// <see cref="DrainTimeout"/> counts from the disposal. In an application with a host, the default is the host's ApplicationStopping unless
    /// <see cref="DrainTimeout"/> is set.
    /// </summary>
    public CancellationToken StoppingToken { get; set; }

    /// <summary>
    /// How the pool decides how many threads each work class may use: <see cref="PoolSizing.Adaptive"/>, <see cref="PoolSizing.Fixed"/> or
    /// <see cref="PoolSizing.Custom"/>. Not null. Default <see cref="PoolSizing.Adaptive"/>.
    /// </summary>
    public PoolSizing Sizing { get; set; } = PoolSizing.Adaptive;

    /// <summary>
    /// Options of the search for the best size, used if <see cref="Sizing"/> is <see cref="PoolSizing.Adaptive"/>. Default <see langword="null"/>: the defaults
    /// of these options. Each option has its own range.
    /// </summary>
    public HillClimbingOptions? HillClimbing { get; set; }

    /// <summary>
    /// The file to which the pool logs every step of every controller, one JSON object a line, so that the steps can be replayed. Not empty. Default
    /// <see langword="null"/>: no log. An existing file is replaced. If the file cannot be written, is deleted, moved or changed by others, or another pool,
    /// gate or process writes it, <see cref="AdaptiveThreadPool.Warned"/> reports this once, and the pool writes nothing more. The log grows by about 1 KB per
    /// step and class; steps are 30 ms to some seconds apart.
    /// </summary>
    public string? DecisionLogFile { get; set; }

    /// <summary>
    /// The minimum time between two reports of code that blocks (<see cref="AdaptiveThreadPool.BlockingReported"/>). 100 ms to 24 h, or
    /// <see cref="Timeout.InfiniteTimeSpan"/> for no reports. Default 10 s. A higher value reports long-lasting blocking less often. Blocking that starts is
    /// always reported within this time.
    /// </summary>
    [OptionRange("00:00:00.1", "1.00:00:00", orInfinite: true)]
    public TimeSpan BlockingReportInterval { get; set; } = TimeSpan.FromSeconds(10);

    /// <summary>
    /// How long all workers must be blocked before the pool counts as deadlocked (<see cref="AdaptiveThreadPool.DeadlockChanged"/>), while
    /// <see cref="MaxThreads"/> or a fixed size is reached, work waits and nothing progresses. 100 ms to 24 h, or <see cref="Timeout.InfiniteTimeSpan"/> for
    /// never. Default 30 s: this is the default command timeout of ADO.NET, so a wait for the answer of a database has ended by then. A higher value leaves
    /// more time to slow work. While the process exits, a disposal without a <see cref="DrainTimeout"/> does not wait for work that has stood still for this
    /// time.
    /// </summary>
    [OptionRange("00:00:00.1", "1.00:00:00", orInfinite: true)]
    public TimeSpan DeadlockTimeout { get; set; } = TimeSpan.FromSeconds(30);

    /// <summary>
    /// The number of threads beyond <see cref="MaxThreads"/> that run waiting work while the pool is deadlocked. They ignore every limit, and end when the
    /// deadlock ends; with a fixed size, once they are idle. 0 to 1,000. Default 0: none. A higher value resolves longer chains of items that wait for each
    /// other, and can use that many more threads in the worst case.
    /// </summary>
    [OptionRange(0, AdaptivePoolOptionsValidator.MostEmergencyThreads)]
    public int EmergencyThreads { get; set; }

    /// <summary>
    /// What happens when an item blocks its worker in a managed wait. Default <see cref="BlockingAction.Ignore"/>. Warn and Throw inspect the stack of every
    /// wait, which costs about 20 us each. The setting of a class (<see cref="WorkClass.BlockingAction"/>) or of the running code
    /// (<see cref="AdaptiveThreadPool.CurrentBlockingAction"/>) takes precedence. Code inside a <see cref="BlockingScope"/> may always block.
    /// </summary>
    public BlockingAction BlockingAction { get; set; }

    /// <summary>
    /// Whether requests may run as guests, that is, on the server's thread where they arrive. This saves the switch to a worker and back. Default true:
    /// requests of a class that has earned this run there until one of them waits. Requests of a class that waits briefly run there while the CPU is fully used
    /// and hardly any others arrive, and while cores are idle and few of them run at once. See <see cref="WorkClass.TryRunAsGuest"/>. For guests that block,
    /// the pool raises the minimum of the runtime's pool meanwhile. False: all requests run on the pool's workers.
    /// </summary>
    public bool Guests { get; set; } = true;

    /// <summary>
    /// Whether the pool measures how long work waits in the runtime's pool, and reports once when blocking code starves the runtime's pool; see
    /// <see cref="AdaptiveThreadPool.RuntimePoolStarved"/>. Default true. The cost is one item of the runtime's pool twice per second while either pool is
    /// used, and nothing while neither is used.
    /// </summary>
    public bool WatchRuntimePool { get; set; } = true;

    /// <summary>
    /// How long no item of a class must complete, while its work waits, before the pool lends threads to the class; <see langword="null"/> as measured.
    /// A rule of <see cref="PoolPreset.DatabaseCompatible"/>: thread_pool_stall_limit of MariaDB and Percona Server.
    /// </summary>
    internal TimeSpan? StallLimit { get; set; }

    /// <summary>
    /// The shortest time between two thread starts, by the number of threads alive; <see langword="null"/> for none. A rule of
    /// <see cref="PoolPreset.DatabaseCompatible"/>.
    /// </summary>
    internal IReadOnlyDictionary<int, TimeSpan>? ThreadCreationThrottle { get; set; }

    /// <summary>
    /// That of Percona's thread pool, which is also that of MariaDB except for the last step: no wait below 4 threads, 50 ms below 8, 100 ms below 16, then
    /// 200 ms.
    /// </summary>
    internal static IReadOnlyDictionary<int, TimeSpan> DatabaseThreadCreationThrottle => field ??= new Dictionary<int, TimeSpan>
    {
        [4] = TimeSpan.FromMilliseconds(50),
        [8] = TimeSpan.FromMilliseconds(100),
        [16] = TimeSpan.FromMilliseconds(200),
    }.AsReadOnly();

    /// <summary>
    /// The number of groups that the threads are divided into. 1 to twice the number of processors, at most 4,096 on the largest machines. Default
    /// <see langword="null"/>: one group for each NUMA node whose processors the process may use. A higher value keeps work of one route
    /// (<see cref="WorkClass.RunRouted(long, Func{Task}, CancellationToken)"/>) on fewer threads, and makes workers check more queues.
    /// <see cref="AdaptiveThreadPool.ThreadGroups"/> changes it while the pool runs.
    /// </summary>
    [OptionRange(1, AdaptivePoolOptionsValidator.MostGroupsAnywhere)]
    public int? ThreadGroups { get; set; }

    /// <summary>
    /// How long a worker that has run work with a route (<see cref="WorkClass.RunRouted(long, Func{Task}, CancellationToken)"/>) waits for more before it goes
    /// to sleep. 1 us to 10 ms. Default <see langword="null"/>: it goes to sleep at once. The wait is used only in classes where it increases the throughput:
    /// each class tests it from time to time, in turns of 25 ms or twenty waits with and without it. At most one worker of the pool waits, on a core that no
    /// other thread wants. A higher value also catches items that come later, and uses more CPU. This is the batch execution of database thread pools
    /// (thread_pool_batch_wait_timeout in Azure Database for MySQL).
    /// </summary>
    [OptionRange("00:00:00.000001", "00:00:00.01")]
    public TimeSpan? BatchWait { get; set; }

    /// <summary>
    /// The number of threads of each group, in addition to the first, that may run items of a class at once, as in database thread pools. 1 to 1,000, the range
    /// of Percona Server. Default <see langword="null"/>: the pool finds the size of each class by measuring. With a value, the limit of each class is the
    /// number of groups times this value plus one. A class gets more threads only while its work waits and none of its items completes: for 500 ms with
    /// <see cref="PoolPreset.DatabaseCompatible"/>, otherwise for as long as the pool measures. A class that keeps the processors busy gets at most one thread
    /// more than there are processors. A higher value lets more items wait at once, and run at once when they stop waiting. The value replaces the search of
    /// <see cref="Sizing"/>, which must be <see cref="PoolSizing.Adaptive"/>.
    /// </summary>
    [OptionRange(1, AdaptivePoolOptionsValidator.MostOversubscribed)]
    public int? Oversubscribe { get; set; }

    /// <summary>
    /// A set of values for the options that are not set. Default <see cref="PoolPreset.None"/>: the value that the description of each option calls its
    /// default. With <see cref="PoolPreset.DatabaseCompatible"/>: the values of database thread pools. An option that is set takes precedence.
    /// </summary>
    public PoolPreset Preset { get; set; }

    /// <summary>
    /// Whether the threads of a group, and every thread that their work starts, run on the processors of one NUMA node. The nodes are assigned to the groups in
    /// turn: with two nodes, group 3 is on the second one. Default false: threads run anywhere. Linux only. On other systems it has no effect, and
    /// <see cref="AdaptiveThreadPool.Warned"/> reports that.
    /// </summary>
    public bool NodeAffinity { get; set; }

    /// <summary>
    /// The maximum number of work classes with a limit of their own, including the default class. Work of further names runs in the default class, and
    /// <see cref="AdaptiveThreadPool.Warned"/> reports that. 1 to 10,000. Default 256.
    /// </summary>
    [OptionRange(1, AdaptivePoolOptionsValidator.MostClasses)]
    public int MaxClasses { get; set; } = 256;

    /// <summary>
    /// The maximum number of root items of each work class that may wait for a worker, in items. Items that can start at once are not counted. 1 to
    /// 2,147,483,647. Default <see langword="null"/>: any number. The next item is refused with a <see cref="WorkRefusedException"/>. A higher value refuses
    /// later, and lets each item wait longer. A class can set its own value: <see cref="WorkClass.MaxQueued"/>, which also lists the items that are never
    /// refused.
    /// </summary>
    [OptionRange(1, int.MaxValue)]
    public int? MaxQueued { get; set; }

    /// <summary>
    /// The maximum time that a root item of each work class may wait for a worker. 1 ms to 24 h, or <see cref="Timeout.InfiniteTimeSpan"/>. Default
    /// <see langword="null"/>: no limit. An item that has waited longer does not run, and ends with a <see cref="WorkRefusedException"/>. A higher value
    /// refuses fewer items, and runs some whose caller no longer waits. A class can set its own value: <see cref="WorkClass.MaxQueueTime"/>.
    /// </summary>
    [OptionRange("00:00:00.001", "1.00:00:00", orInfinite: true)]
    public TimeSpan? MaxQueueTime { get; set; }

    /// <summary>
    /// How long an item may wait behind items of its class that have a higher priority. When an item would wait longer, the pool starts items of lower priority
    /// in between, at most every second one. Items that cannot start in time even then wait longer. 1 ms to 24 h, or <see cref="Timeout.InfiniteTimeSpan"/> for
    /// no limit. Default 1 s, as in the thread pools of databases. A higher value leaves more to the higher priorities.
    /// </summary>
    [OptionRange("00:00:00.001", "1.00:00:00", orInfinite: true)]
    public TimeSpan PriorityKickUp { get; set; } = TimeSpan.FromSeconds(1);

    /// <summary>
    /// Which new items go before others. Default <see cref="HighPriorityMode.Transactions"/>: items that are queued inside a transaction that holds a permit of
    /// a <see cref="Admission.TransactionGate"/>, because other transactions wait for that permit. Work that continues a running item (code after its awaits,
    /// and items that it queues in its own class) goes first in each mode. If such an item has to wait with new work, it goes first once it has waited for
    /// <see cref="PriorityKickUp"/>, and <see cref="MaxQueued"/> and <see cref="MaxQueueTime"/> never refuse it.
    /// </summary>
    public HighPriorityMode HighPriorityMode { get; set; }

    /// <summary>
    /// The number of items of one transaction that go before new work. The next item waits with new work, and then the transaction gets the same number again.
    /// 1 to 2,147,483,647. Default <see langword="null"/>: all items, as with the default of database thread pools (4,294,967,295). A higher value ends
    /// transactions sooner. A lower value prevents transactions with many items from delaying new work. Applies to <see cref="HighPriorityMode.Transactions"/>
    /// only. One lease of a gate, together with the leases inside it, is one transaction.
    /// </summary>
    [OptionRange(1, int.MaxValue)]
    public int? HighPriorityTickets { get; set; }

    /// <summary>
    /// The priority of the first request of a connection among the new work of its class: over HTTP/1.1 and HTTP/2 on Kestrel, the first request of the
    /// connection that <c>UseAdaptivePool()</c> brings to a pool with this option. Default <see langword="null"/>: <see cref="WorkPriority.Normal"/>, or
    /// <see cref="WorkPriority.High"/> with <see cref="PoolPreset.DatabaseCompatible"/>, as with threadpool_new_conn_high_prio, because a client that has just
    /// connected gives up soonest. Your own server can read the value from <see cref="AdaptiveThreadPool.NewConnectionPriority"/>.
    /// </summary>
    public WorkPriority? NewConnectionPriority { get; set; }

    /// <summary>
    /// The stack size of pool threads in bytes, including threads of LongRunning tasks. 256 KiB to 64 MiB, or 0 for the default of the system (8 MiB on most
    /// Linux systems). Default 1.5 MiB, the stack size of .NET threads on Windows and Alpine, so code can recurse as deep as there. A higher value allows
    /// deeper recursion and reserves address space per thread. Only pages that were used become memory: about 20 KiB for a thread that was never deep, whatever
    /// the size. Memory that one deep recursion has used stays in use until the thread ends. When only 128 KiB of a stack are left, the runtime does not run a
    /// task on the thread that waits for it.
    /// </summary>
    [OptionRange(256 * 1_024, 64 * 1_024 * 1_024, orZero: true, unit: "bytes")]
    public int StackSize { get; set; } = DefaultStackSize;

    /// <summary>
    /// The share of the memory limit from which the pool adds no thread, except one that is needed so that one worker can run. 0.1 to 1. Default 0.9, where the
    /// runtime's garbage collector also starts to work harder. The limit is the nearest of the limits of the container, of an enclosing container, of the
    /// address space and of the garbage collector, or the memory of the machine if there is none. The pool expects its new threads to take some memory, so it
    /// may stop before that share. A higher value lets the pool grow closer to the point where the process is killed. With 1, the pool grows until the system
    /// refuses.
    /// </summary>
    [OptionRange(0.1, 1)]
    public double MemoryLimitShare { get; set; } = 0.9;

    /// <summary>
    /// The factory that creates the meter for the pool's metrics (<see cref="Diagnostics.MetricNames"/>). Default <see langword="null"/>: all pools of the
    /// process share one meter. A web application sets its own factory, so that a test with this factory sees only the pools of this application.
    /// </summary>
    public IMeterFactory? MeterFactory { get; set; }

    /// <summary>Gets all errors in the options, each with the option, its value and what is allowed; empty when the options are valid.</summary>
    public IReadOnlyList<string> FindErrors() => [.. AdaptivePoolOptionsValidator.Failures(this).Select(static failure => failure.Message)];

    /// <summary>Throws for the first invalid option, as the constructor of the pool does.</summary>
    /// <exception cref="ArgumentOutOfRangeException">An option is out of its range. The message names the option, its value and the range.</exception>
    public void ThrowIfInvalid() => OptionCheck.ThrowFirst(AdaptivePoolOptionsValidator.Failures(this));

    internal int EffectiveMinThreads => MinThreads ?? Math.Min(Environment.ProcessorCount, MaxThreads);

    internal AdaptivePoolOptions Copy() => (AdaptivePoolOptions)MemberwiseClone();

    /// <summary>
    /// Creates a copy in which the preset's values replace options that are not set: thread_pool_stall_limit and thread_pool_oversubscribe of MariaDB and
    /// Percona Server, and threadpool_new_conn_high_prio of Azure Database for MySQL, by which new connections go to the queue of high priority.
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
