using AdaptivePool.Dispatch;
using AdaptivePool.Dispatch.Queues;
using AdaptivePool.Stacks;

namespace AdaptivePool.Blocking;

/// <summary>
/// The thread that looks at what blocks the workers: five times per second while work waits or a deadlock holds, and never otherwise. It reports, decides
/// whether there is a deadlock, and lends emergency threads while one holds. Holds no formula.
/// </summary>
internal sealed class BlockingMonitor
{
    private const double PeriodSeconds = 0.2;

    private static readonly TimeSpan s_period = TimeSpan.FromSeconds(PeriodSeconds);
    private readonly WorkerSet _set;
    private readonly AdaptivePoolOptions _options;
    private readonly Action<BlockingReport> _onReport;
    private readonly Action<BlockingReport> _onDeadlock;
    private readonly Action<Blocker> _onFinding;
    private readonly DeadlockRule _deadlock;
    private readonly BlockingReportRule _report;
    private readonly Doze<RealSync> _doze;

    // Made once: where the heap is full, a look must not fail before it is guarded.
    private readonly Action _look;
    private double _lastAt;
    private long _deadlocks;
    private long _looks;
    private bool _isDeadlocked;
    private bool _takesBack;
    private int _remaining;

    public BlockingMonitor(WorkerSet set, AdaptivePoolOptions options, Action<BlockingReport> onReport, Action<BlockingReport> onDeadlock,
        Action<Blocker> onFinding)
    {
        _set = set;
        _options = options;
        _onReport = onReport;
        _onDeadlock = onDeadlock;
        _onFinding = onFinding;
        _deadlock = new DeadlockRule(Seconds(options.DeadlockTimeout));
        _report = new BlockingReportRule(Seconds(options.BlockingReportInterval));
        _look = Look;
        Readings = new WorkerReadings(set);
        _doze = new Doze<RealSync>(() => HasWork);
    }

    public WorkerReadings Readings { get; }

    public bool IsDeadlocked => Volatile.Read(ref _isDeadlocked);

    public long Deadlocks => Volatile.Read(ref _deadlocks);

    /// <summary>Looks done so far.</summary>
    public long Looks => Volatile.Read(ref _looks);

    /// <summary>How long the oldest item waits, at least; zero when none does.</summary>
    public TimeSpan OldestWait
    {
        get
        {
            // For work in flight this is a lower bound: workers take the newest of their own first, and the counts are read as if the oldest had gone.
            double oldest = _set.InFlight.Queue.Ages.OldestWait(QueueAges<RealSync>.Now);
            for (ClassCore? core = _set.NextUsed(0); core is not null; core = _set.NextUsed(core.Number + 1))
            {
                oldest = Math.Max(oldest, core.Queue.Ages.OldestWait(QueueAges<RealSync>.Now));
            }

            return TimeSpan.FromSeconds(oldest);
        }
    }

    /// <summary>Called when there is something to look at. Any thread; only a read when the thread is awake.</summary>
    public void WakeUp() => _doze.WakeUp();

    /// <summary>Starts the thread. Called once.</summary>
    /// <exception cref="InvalidOperationException">The system refused.</exception>
    public void Start(ThreadSource threads) => threads.Start(Run, _options.Name + " blocking monitor");

    /// <summary>Ends the thread.</summary>
    public void Stop() => _doze.End();

    private bool HasWork => _isDeadlocked || _takesBack || _set.Blockers.HasFindings || _set.QueuedCount() > 0;

    private void Run()
    {
        _set.EnterThread();

        // The first look at a stack takes a process 10 to 30 ms, all later ones microseconds, and the first wait of an item should not pay for it. In the first
        // moments of a pool its first threads, and the code that makes them, need the processors more.
        _doze.Pause(s_period);
        if (!_doze.IsEnding)
        {
            _set.Guard(static () => WaitStack.Look());
        }

        _lastAt = QueueAges<RealSync>.Now;
        while (!_doze.IsEnding)
        {
            try
            {
                if (HasWork)
                {
                    // A mistake of the pool must not end the watch. Exceptions of handlers are caught where the handlers are called.
                    _set.Guard(_look);
                }
                else
                {
                    Readings.Pause();
                    _doze.Sleep();
                    _lastAt = QueueAges<RealSync>.Now;
                }
            }
            catch (OutOfMemoryException)
            {
                // The heap is full for a moment: the next look sees what this one did not.
            }

            // Work that comes and goes wakes this thread again and again. What is gone within a period was no blocking worth a look.
            _doze.Pause(s_period);
        }
    }

    private void Look()
    {
        Volatile.Write(ref _looks, _looks + 1);
        double now = QueueAges<RealSync>.Now;

        // A longer pause is that of the process, not of the workers: the process was suspended, or this thread did not get the CPU.
        double elapsed = Math.Min(now - _lastAt, 2 * PeriodSeconds);
        _lastAt = now;
        long queued = _set.QueuedCount();
        TimeSpan oldestWait = OldestWait;
        (WorkerCount count, bool reports, bool holds, IReadOnlyList<Blocker> blockers) = Readings.Look(readings =>
        {
            WorkerCount seen = Count(readings, queued);
            bool isDeadlock = _deadlock.Decide(seen.Deadlock, elapsed);
            bool isReport = _report.Decide(now, seen.Workers, seen.Active, seen.Blocked, queued, oldestWait.TotalSeconds);

            // The report shows what the decision was based on: a second look would find another moment.
            return (seen, isReport, isDeadlock, isReport || isDeadlock != _isDeadlocked ? BlockerList.Of(_set.Blockers, readings) : []);
        });
        Judge(count, oldestWait, holds, blockers);
        if (reports)
        {
            BlockingReport report = Describe(count, oldestWait, blockers,
                BlockingMessageRule.OfReport(count.Blocked, count.Active, count.Workers, _report.WorkersBefore, oldestWait, blockers));
            _report.Reported(now, count.Workers);
            _onReport(report);
        }

        foreach (BlockerEntry finding in _set.Blockers.HasFindings ? _set.Blockers.TakeFindings() : [])
        {
            _onFinding(finding.Describe(0, TimeSpan.Zero, TimeSpan.Zero));
        }
    }

    private void Judge(in WorkerCount count, TimeSpan oldestWait, bool holds, IReadOnlyList<Blocker> blockers)
    {
        DeadlockObservation seen = count.Deadlock;
        if (holds != _isDeadlocked)
        {
            // Who reads that there is a deadlock finds it counted.
            Volatile.Write(ref _deadlocks, _deadlocks + (holds ? 1 : 0));
            Volatile.Write(ref _isDeadlocked, holds);
            BlockingReport report = Describe(
                count,
                oldestWait,
                blockers,
                holds ? BlockingMessageRule.OfDeadlock(seen, _options.DeadlockTimeout, blockers)
                    : BlockingMessageRule.OfEnd(seen.Queued));
            _onDeadlock(report);
            if (_options.EmergencyThreads > 0)
            {
                _set.Lend(holds ? _options.EmergencyThreads : 0);
                _takesBack = !holds;
                _remaining = int.MaxValue;
            }
        }
        else if (holds)
        {
            _set.WakeLent();
        }
        else if (_takesBack)
        {
            int existing = _set.Existing;
            int excess = existing - _set.MaxThreads;
            _takesBack = excess > 0;
            if (excess > 0 && existing <= _remaining)
            {
                // Workers that were told to end are still counted until they have ended.
                _remaining = existing - _set.Retire(excess);
            }
        }
    }

    private WorkerCount Count(IReadOnlyList<WorkerReading> readings, long queued)
    {
        IEnumerable<WorkerReading> all = readings.Where(static reading => reading.Worker is not null);
        IEnumerable<WorkerReading> own = all.Where(static reading => !reading.Worker!.IsEmergency);

        // Limits that fill MaxThreads cannot grow, whether or not all their threads have been started. A class without work holds nothing.
        int size = _set.InFlight.Limit.Value
            + _set.Classes.Where(static core => core.Limit.Active + core.QueuedCount > 0).Sum(static core => core.Limit.Value);
        return new WorkerCount(
            all.Count(),
            all.Count(static reading => reading.HasItem),
            all.Count(static reading => reading.IsBlocked),
            new DeadlockObservation(
                Math.Max(all.Count(static reading => !reading.Worker!.IsLent), size),
                _set.MaxThreads,
                own.Count(static reading => reading.HasItem),
                own.Count(static reading => reading.IsBlocked),
                queued,
                own.Sum(static reading => reading.Sequence),
                own.Sum(static reading => reading.HasItem ? reading.Sequence : 0),
                HasOnlyFixed()));
    }

    private bool HasOnlyFixed() => _set.InFlight.IsFixed
        && IsUsedUp(_set.InFlight, _set.InFlight.QueuedCount + _set.LocalCount())
        && Array.TrueForAll(_set.Classes, static core => IsUsedUp(core, core.QueuedCount));

    // A class that has room gets a thread.
    private static bool IsUsedUp(ClassCore core, int queued) => queued == 0 || (core.IsFixed && !core.Limit.HasRoom);

    private BlockingReport Describe(in WorkerCount count, TimeSpan oldestWait, IReadOnlyList<Blocker> blockers, string message) => new()
    {
        PoolName = _options.Name,
        Blocked = count.Blocked,
        Workers = count.Workers,
        WorkersBefore = _report.WorkersBefore,
        Queued = count.Deadlock.Queued,
        OldestWait = oldestWait,
        Blockers = blockers,
        IsDeadlocked = _isDeadlocked,
        Message = message,
    };

    private static double Seconds(TimeSpan time) => time == Timeout.InfiniteTimeSpan ? double.PositiveInfinity : time.TotalSeconds;
}
