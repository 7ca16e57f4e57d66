using System.Collections.ObjectModel;
using System.Text.Json;
using AdaptivePool.Blocking;
using AdaptivePool.Diagnostics;
using AdaptivePool.Dispatch;
using AdaptivePool.Dispatch.Queues;
using AdaptivePool.Guests;
using AdaptivePool.Sizing;

namespace AdaptivePool;

/// <summary>
/// A thread pool with its own threads. It finds its size by measuring, it is not starved by blocking code, and it reports the reason for everything it does.
/// </summary>
/// <remarks>
/// The class has several files: AdaptiveThreadPool.Queueing queues work, AdaptiveThreadPool.Diagnostics reports what happens, and AdaptiveThreadPool.Lifetime
/// ends the pool. A pool that is never disposed is never collected: its threads keep it until the process ends.
/// </remarks>
public sealed partial class AdaptiveThreadPool : IAsyncDisposable, IDisposable
{
    private readonly AdaptivePoolOptions _options;
    private readonly WorkClassMap _classes;
    private readonly StarterLoop _starter;
    private PoolStatistics? _before;
    private long _stalls;

    /// <summary>Creates a pool. The pool starts its threads when the first work arrives.</summary>
    /// <remarks>
    /// The constructor does not catch the exceptions of code that the options name: the function passed to <see cref="PoolSizing.Custom"/>, and
    /// <see cref="AdaptivePoolOptions.MeterFactory"/>, nor those of a listener that is told of the instruments of the meter. After such an exception, nothing
    /// of the pool is left.
    /// </remarks>
    /// <param name="options">The settings; <see langword="null"/> for the defaults.</param>
    /// <exception cref="ArgumentOutOfRangeException">An option is out of its range. The message names the option, its value and the range.</exception>
    /// <exception cref="InvalidOperationException">
    /// The function passed to <see cref="PoolSizing.Custom"/> returned <see langword="null"/>, or the system refuses the process one of the threads that a pool
    /// has beside its workers. Nothing of the pool is left then.
    /// </exception>
    public AdaptiveThreadPool(AdaptivePoolOptions? options = null)
        : this(options ?? new AdaptivePoolOptions(), new PoolSurroundings())
    {
    }

    internal AdaptiveThreadPool(AdaptivePoolOptions options, PoolSurroundings surroundings)
    {
        options.ThrowIfInvalid();
        _options = options.Resolve();
        HighPriorityTickets = _options.HighPriorityMode != HighPriorityMode.Transactions ? 0 : (uint?)_options.HighPriorityTickets ?? uint.MaxValue;
        _surroundings = surroundings;
        Warnings = new WarningHandlers(Raise, surroundings.Whole?.Warnings);
        _topology = surroundings.Topology();
        SizeByGroups();
        IPoolController? first = _options.Sizing.CreateController?.Invoke();
        int startLimit = ClassSizing.StartLimit(first, _options);
        Set = new WorkerSet(_options.Name, _options.MaxThreads, _options.StackSize, startLimit, surroundings.Threads, OnFault, _options.MaxClasses)
        {
            BatchWait = _options.BatchWait,
        };
        Group();
        End = new PoolEnd(Set, CloseDiagnostics);
        _classes = new WorkClassMap(this, Set, _options.MaxClasses, startLimit, Warnings.Tell);
        Set.InFlight.Owner = DefaultClass;
        _starter = new StarterLoop(Set, _options.Name, surroundings.Threads, _options.ThreadCreationThrottle is { } table ? new(table) : null);
        _runtimePool = _options.WatchRuntimePool ? surroundings.RuntimePool : null;
        _metrics = new PoolMetrics(_options.Name, this, _options.MeterFactory);
        Monitor = WatchBlocking();
        BriefWaits = new BriefWaits(Set, surroundings.Root);
        Sizing = new SizingLoop(Set, _options, _starter, CreateController, OnDecision, Warnings.Tell, surroundings, End);
        Set.RequestThreads = _starter.Request;
        Set.OnHeldUp = Sizing.WakeUp;
        Begin();
    }

    /// <summary>
    /// Starts the pool's own threads, after everything else that may fail. Where the system refuses a thread, the threads that were started before it end,
    /// and no caller gets the pool.
    /// </summary>
    private void Begin()
    {
        GuestWatch.Process.Join();
        _surroundings.End.Watch();
        try
        {
            _starter.Start(_surroundings.OwnThreads);
            Monitor.Start(_surroundings.OwnThreads);
            _runtimePool?.Join(OnRuntimePoolStarved, _surroundings.OwnThreads.Start);
            _stopping = _options.StoppingToken.UnsafeRegister(static end => ((ProgramEnd)end!).Begin(), _surroundings.End);
            Sizing.Start(_surroundings.OwnThreads);
        }
        catch
        {
            // The sizing thread does this at the end of a pool. This pool never began.
            Sizing.GiveBack();
            CloseDiagnostics();
            throw;
        }
    }

    /// <summary>The pool whose worker thread runs the calling code; <see langword="null"/> on any other thread.</summary>
    public static AdaptiveThreadPool? Current => Worker.Current?.Set.InFlight.Owner.Pool;

    /// <summary>The name of the pool.</summary>
    public string Name => _options.Name;

    /// <summary>The task scheduler of the default class.</summary>
    public AdaptiveTaskScheduler Scheduler => DefaultClass.Scheduler;

    /// <summary>A task factory whose tasks run on the pool, in the default class.</summary>
    public TaskFactory Factory => DefaultClass.Factory;

    /// <summary>
    /// The synchronization context of the pool's default class. Under this context, code after an await returns to the pool as in-flight work, without a task
    /// for each await. Work items run under it.
    /// </summary>
    public SynchronizationContext SynchronizationContext => DefaultClass.SynchronizationContext;

    /// <summary>The class of all work that is queued without a class.</summary>
    public WorkClass DefaultClass => _classes.Default;

    internal WorkerSet Set { get; }

    internal long Stalls => Interlocked.Read(ref _stalls);

    internal long Throttles => _starter.Throttles;

    internal SizingLoop Sizing { get; }

    internal BriefWaits BriefWaits { get; }

    /// <summary>
    /// Whether the user has bounded the threads. Such a bound also limits the threads that wait. The system may allow fewer threads, but that is not a choice
    /// of the user.
    /// </summary>
    internal bool HasBoundedThreads => Sizing.WishedThreads < AdaptivePoolOptions.DefaultMaxThreads;

    /// <summary>
    /// Gets the work class with this name. The pool creates the class if it does not exist. Once <see cref="AdaptivePoolOptions.MaxClasses"/> classes exist,
    /// every further name returns the default class, so settings made there apply to all work without a class. <see cref="Warned"/> reports the first such
    /// name.
    /// </summary>
    /// <param name="name">
    /// The name of the class, case-sensitive; not empty or white space, without control characters, and not <see cref="WorkClass.InFlightName"/>.
    /// </param>
    /// <exception cref="ArgumentException">
    /// <paramref name="name"/> is null, empty or white space, contains a control character, or is <see cref="WorkClass.InFlightName"/>.
    /// </exception>
    public WorkClass GetClass(string name)
    {
        ArgumentException.ThrowIfNullOrWhiteSpace(name);
        return _classes.Get(name);
    }

    /// <summary>Changes the bounds of a running pool. The change takes effect at once. It does not interrupt running items.</summary>
    /// <param name="minThreads">The number of threads that stay alive when idle; 1 to <paramref name="maxThreads"/>.</param>
    /// <param name="maxThreads">The maximum number of threads; 1 to 32,767.</param>
    /// <exception cref="ArgumentOutOfRangeException">A bound is out of its range.</exception>
    public void Resize(int minThreads, int maxThreads)
    {
        AdaptivePoolOptions wanted = _options.Copy();
        wanted.MinThreads = minThreads;
        wanted.MaxThreads = maxThreads;

        // The start sizes of the classes no longer bound anything.
        wanted.InitialThreads = null;
        wanted.ThrowIfInvalid();
        Sizing.Request(new SizeRequest(minThreads, maxThreads));
    }

    /// <summary>Gets the state of the pool at this moment.</summary>
    public PoolSnapshot GetSnapshot() => GetSnapshot(0);

    /// <summary>Gets the state of the pool at this moment, with the items that wait.</summary>
    /// <param name="mostQueuedItems">
    /// The maximum number of items in <see cref="PoolSnapshot.QueuedItems"/>. 0 or more. Reading a queue makes it use more memory for a while, so do not
    /// request many items continually.
    /// </param>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="mostQueuedItems"/> is negative.</exception>
    public PoolSnapshot GetSnapshot(int mostQueuedItems)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(mostQueuedItems);
        (WorkerSnapshot[] workers, IReadOnlyList<Blocker> blockers) = Monitor.Readings.Look(readings => (
            readings.Where(static reading => reading.Worker is not null).Select(Describe).ToArray(),
            BlockerList.Of(Set.Blockers, readings)));
        int blocked = workers.Count(static worker => worker.State == WorkerState.BlockedManaged);
        int idle = workers.Count(static worker => worker.State == WorkerState.Idle);
        return new PoolSnapshot
        {
            Name = Name,
            Target = Sizing.Target,
            Existing = Set.Existing,
            Running = workers.Length - idle - blocked,
            Blocked = blocked,
            Idle = Set.Idle.Count,
            Queued = Set.QueuedCount(),
            Completed = Set.CompletedCount(),
            Faulted = Set.Faulted,
            ThreadsCreated = Set.ThreadsCreated,
            ThreadCreationFailures = Set.CreationFailures,
            Wakes = Set.Wakes,
            UselessWakes = Set.UselessWakes,
            Rescues = Sizing.Housekeeper.Rescues,
            LateWakes = Sizing.Housekeeper.LateWakes,
            PeakThreads = Set.PeakThreads,
            LongRunning = Volatile.Read(ref _longRunning),
            MinThreads = Sizing.MinThreads,
            MaxThreads = Set.MaxThreads,
            BlockingReasons = [.. workers.Select(static worker => worker.Reason).OfType<string>()],
            Workers = workers,
            Blockers = blockers,
            IsDeadlocked = Monitor.IsDeadlocked,
            Deadlocks = Monitor.Deadlocks,
            OldestWait = Monitor.OldestWait,
            RuntimePoolDelay = RuntimePoolDelay,
            Statistics = CountSince(Volatile.Read(ref _before)),
            Waits = WaitsOf(Set.Blockers),
            QueuedItems = mostQueuedItems == 0 ? [] : QueueRows.Of(Set, mostQueuedItems),
            Groups = DescribeGroups(workers),
            Classes = [.. Set.Classes.Select(item => Describe(item, item.Queue.Count)), Describe(Set.InFlight, Set.InFlight.Queue.Count + Set.LocalCount())],
            Elastic = Volatile.Read(ref _elastic)?.GetSnapshot(mostQueuedItems),
        };
    }

    internal WorkClassSnapshot Describe(ClassCore core, long queued)
    {
        // Work in flight is not first in, first out: items that workers queue for themselves run in the opposite order.
        IReadOnlyDictionary<WorkPriority, WaitTimes> waits = core.IsInFlight ? ReadOnlyDictionary<WorkPriority, WaitTimes>.Empty
            : core.Queue.Ages.Tell(QueueAges<RealSync>.Now, static clock => new WaitTimes(
                TimeSpan.FromSeconds(clock.Percentile(0.5)),
                TimeSpan.FromSeconds(clock.Percentile(0.99)),
                new OrderedDictionary<TimeSpan, double>(clock.Histogram)));
        return new()
        {
            Name = core.Name,
            Limit = core.Limit.Value,
            Verified = core.Verified,
            Active = core.Limit.Active,
            Queued = queued,
            Completed = core.Completed,
            PeakLimit = core.PeakLimit,
            State = core.SizingState,
            Starved = core.Queue.DueCount,
            MedianWait = Each(waits, static it => it.Median),
            LongWait = Each(waits, static it => it.Long),
            WaitHistogram = Each(waits, static it => it.Histogram),
            Weight = core.Share?.Weight,
            CpuTime = core.Share is { Used: var used } ? TimeSpan.FromMicroseconds(used / 1e3) : null,
            Refused = core.IsInFlight ? 0 : core.Owner.Refused,
            Expired = core.IsInFlight ? 0 : core.Owner.Expired,
            IsBatching = core.Batches is { IsOn: true },
            HasGuests = !core.IsInFlight && core.Owner.Guests is { IsGuest: true },
            GuestReason = core.IsInFlight ? "" : core.Owner.Guests?.Reason ?? "",
            GuestRequests = core.IsInFlight ? 0 : core.Owner.Guests?.Requests ?? 0,
        };
    }

    private static IReadOnlyDictionary<WorkPriority, T> Each<T>(IReadOnlyDictionary<WorkPriority, WaitTimes> waits, Func<WaitTimes, T> part) =>
        waits.Count == 0 ? ReadOnlyDictionary<WorkPriority, T>.Empty : waits.ToDictionary(static it => it.Key, it => part(it.Value));

    private readonly record struct WaitTimes(TimeSpan Median, TimeSpan Long, IReadOnlyDictionary<TimeSpan, double> Histogram);

    /// <summary>
    /// Writes the state of the pool as one JSON object. Names are in camelCase, enumerations are written by name, and times as days.hours:minutes:seconds. The
    /// method uses no reflection, so it also works in an app that is compiled ahead of time.
    /// </summary>
    /// <param name="writer">The writer that receives the object.</param>
    /// <param name="mostQueuedItems">The same as in <see cref="GetSnapshot(int)"/>.</param>
    /// <exception cref="ArgumentNullException"><paramref name="writer"/> is null.</exception>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="mostQueuedItems"/> is negative.</exception>
    public void WriteJson(Utf8JsonWriter writer, int mostQueuedItems = 100)
    {
        ArgumentNullException.ThrowIfNull(writer);
        JsonSerializer.Serialize(writer, GetSnapshot(mostQueuedItems), PoolSnapshotJson.Default.PoolSnapshot);
    }

    /// <summary>Restarts <see cref="PoolSnapshot.Statistics"/> and the wait times of the classes. Metrics and all other numbers continue.</summary>
    public void ResetStatistics()
    {
        Volatile.Write(ref _before, CountSince(null));
        Array.ForEach(Set.Classes, static core => core.Queue.Ages.Reset());
    }

    private TimeSpan SinceCreation => Stopwatch.GetElapsedTime(_createdAt);

    private PoolStatistics CountSince(PoolStatistics? before) => new()
    {
        Elapsed = SinceCreation - (before?.Elapsed ?? TimeSpan.Zero),
        ThreadsCreated = Set.ThreadsCreated - (before?.ThreadsCreated ?? 0),
        Wakes = Set.Wakes - (before?.Wakes ?? 0),
        Stalls = Stalls - (before?.Stalls ?? 0),
        Throttles = Throttles - (before?.Throttles ?? 0),
        Completed = Set.CompletedCount() - (before?.Completed ?? 0),
        Steals = Set.Steals.Value - (before?.Steals ?? 0),
        Borrows = Set.Borrows.Value - (before?.Borrows ?? 0),
        HeldBack = Set.HeldBack.Count - (before?.HeldBack ?? 0),
        KickUps = Set.HeldBack.KickUps - (before?.KickUps ?? 0),
    };

    /// <summary>Number of waits of items by what they waited for, as far as the pool inspected them.</summary>
    internal static IReadOnlyDictionary<string, long> WaitsOf(BlockerTable table) => table.Entries
        .GroupBy(static entry => entry.Kind, StringComparer.Ordinal)
        .Select(static kind => (kind.Key, Count: kind.Sum(static entry => entry.Count)))
        .Where(static kind => kind.Count > 0)
        .ToDictionary(static kind => kind.Key, static kind => kind.Count, StringComparer.Ordinal);
}
