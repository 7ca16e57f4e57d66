using AdaptivePool.Classes;
using AdaptivePool.Workers;

namespace AdaptivePool.Blocking;

/// <summary>
/// The thread that looks who blocks: five times per second while work waits or a deadlock holds, and never otherwise. Reports, gives the verdict of deadlock, and lends emergency threads while it holds. Holds no formula.
/// </summary>
internal sealed class BlockingMonitor
{
    private const double PeriodSeconds = 0.2;

    private static readonly TimeSpan s_period = TimeSpan.FromSeconds(PeriodSeconds);
    private readonly WorkerSet _set;
    private readonly AdaptivePoolOptions _options;
    private readonly Action<BlockingReport> _onReport;
    private readonly Action<bool, BlockingReport> _onDeadlock;
    private readonly Action<Blocker, string> _onFinding;
    private readonly DeadlockRule _deadlock;
    private readonly BlockingReportRule _report;
    private readonly Dictionary<ClassCore, QueueAgeRule> _ages = [];
    private readonly AutoResetEvent _wake = new(initialState: false);
    private double _lastAt;
    private double _oldestWait;
    private long _deadlocks;
    private long _looks;
    private bool _isDeadlocked;
    private bool _takesBack;
    private int _remaining;
    private bool _asleep;
    private bool _stopping;

    public BlockingMonitor(WorkerSet set, AdaptivePoolOptions options, Action<BlockingReport> onReport, Action<bool, BlockingReport> onDeadlock, Action<Blocker, string> onFinding)
    {
        _set = set;
        _options = options;
        _onReport = onReport;
        _onDeadlock = onDeadlock;
        _onFinding = onFinding;
        _deadlock = new DeadlockRule(Seconds(options.DeadlockTimeout));
        _report = new BlockingReportRule(Seconds(options.BlockingReportInterval));
        Readings = new WorkerReadings(set);
        new Thread(Run) { IsBackground = true, Name = options.Name + " blocking monitor" }.UnsafeStart();
    }

    public WorkerReadings Readings { get; }

    public bool IsDeadlocked => Volatile.Read(ref _isDeadlocked);

    public long Deadlocks => Volatile.Read(ref _deadlocks);

    /// <summary>Looks done so far.</summary>
    public long Looks => Volatile.Read(ref _looks);

    /// <summary>How long the oldest root item waits; zero when nothing waits.</summary>
    public TimeSpan OldestWait => TimeSpan.FromSeconds(Volatile.Read(ref _oldestWait));

    /// <summary>Called when there is something to look at. Any thread; a read when the thread is awake.</summary>
    public void WakeUp()
    {
        // Pairs with the exchange in Sleep: either the loop sees the work in its last look, or we see it asleep.
        if (Volatile.Read(ref _asleep) && Interlocked.Exchange(ref _asleep, false))
        {
            Wake();
        }
    }

    /// <summary>Ends the thread.</summary>
    public void Stop()
    {
        Volatile.Write(ref _stopping, true);
        Wake();
    }

    private bool HasWork => _isDeadlocked || _takesBack || _set.Blockers.HasFindings || _set.QueuedCount() > 0;

    private void Run()
    {
        _lastAt = Readings.Now;
        while (!Volatile.Read(ref _stopping))
        {
            if (!HasWork)
            {
                Sleep();
                if (!Volatile.Read(ref _stopping))
                {
                    // Work that comes and goes wakes this thread again and again; what is gone within a period was no blocking worth a look.
                    _wake.WaitOne(s_period);
                }

                continue;
            }

            Look();
            _wake.WaitOne(s_period);
        }

        _wake.Dispose();
    }

    private void Wake()
    {
        try
        {
            _wake.Set();
        }
        catch (ObjectDisposedException)
        {
            // The thread has ended between the caller's look and this.
        }
    }

    private void Sleep()
    {
        Volatile.Write(ref _oldestWait, 0);
        _ages.Clear();
        Readings.Pause();

        // Publish, fence, look again: pairs with WakeUp.
        Interlocked.Exchange(ref _asleep, true);
        if (!HasWork && !Volatile.Read(ref _stopping))
        {
            _wake.WaitOne();
        }

        Volatile.Write(ref _asleep, false);
        _lastAt = Readings.Now;
    }

    private void Look()
    {
        _looks++;
        double now = Readings.Now;

        // A longer pause is the process's, not the workers': it was suspended, or this thread did not get the CPU.
        double elapsed = Math.Min(now - _lastAt, 2 * PeriodSeconds);
        _lastAt = now;
        long queued = _set.QueuedCount();
        Volatile.Write(ref _oldestWait, OldestOf(now));
        (int workers, int active, int blocked, DeadlockObservation seen) = Readings.Look(readings => Count(readings, queued));
        Judge(seen, elapsed);
        if (_report.Decide(now, workers, active, blocked, queued, _oldestWait))
        {
            BlockingReport report = Describe(null);
            _report.Reported(now, workers);
            Tell(() => _onReport(report));
        }

        foreach (BlockerEntry finding in _set.Blockers.HasFindings ? _set.Blockers.TakeFindings() : [])
        {
            Blocker found = finding.Describe(0, TimeSpan.Zero, TimeSpan.Zero);
            Tell(() => _onFinding(found, BlockingMessageRule.OfFinding(found)));
        }
    }

    private void Judge(in DeadlockObservation seen, double elapsed)
    {
        bool holds = _deadlock.Decide(seen, elapsed);
        if (holds != _isDeadlocked)
        {
            Volatile.Write(ref _isDeadlocked, holds);
            _deadlocks += holds ? 1 : 0;
            BlockingReport report = Describe(holds ? seen : null, isEnd: !holds);
            Tell(() => _onDeadlock(holds, report));
            if (_options.EmergencyThreads > 0)
            {
                _set.Lend(holds ? _options.EmergencyThreads : 0);
                _takesBack = !holds;
                _remaining = int.MaxValue;
            }
        }
        else if (holds && seen.Queued > 0 && !_set.Idle.IsEmpty)
        {
            // An idle worker is a lent one now, and may take what no limit allows.
            _set.EnsureWorker();
        }
        else if (_takesBack)
        {
            int existing = _set.Existing;
            int excess = existing - _set.MaxThreads;
            _takesBack = excess > 0;
            if (excess > 0 && existing <= _remaining)
            {
                // Those that were told to end are still counted until they have.
                _remaining = existing - _set.Retire(excess);
            }
        }
    }

    private (int Workers, int Active, int Blocked, DeadlockObservation Seen) Count(IReadOnlyList<WorkerReading> readings, long queued)
    {
        int workers = 0;
        int active = 0;
        int blocked = 0;
        int lent = 0;
        int lentActive = 0;
        int lentBlocked = 0;
        long heartbeats = 0;
        long activeHeartbeats = 0;
        foreach (WorkerReading reading in readings)
        {
            if (reading.Worker is not { } worker)
            {
                continue;
            }

            int isActive = reading.State == WorkerState.Idle ? 0 : 1;
            int isBlocked = reading.IsBlocked ? 1 : 0;
            workers++;
            active += isActive;
            blocked += isBlocked;
            lent += worker.IsLent ? 1 : 0;
            if (worker.IsEmergency)
            {
                lentActive += isActive;
                lentBlocked += isBlocked;
            }
            else
            {
                heartbeats += reading.Sequence;
                activeHeartbeats += isActive * reading.Sequence;
            }
        }

        // Limits that fill MaxThreads cannot grow, whether or not all their threads have been started.
        int size = _set.InFlight.Limit.Value;
        foreach (ClassCore core in _set.Classes)
        {
            size += core.Limit.Value;
        }

        return (workers, active, blocked, new DeadlockObservation(Math.Max(workers - lent, size), _set.MaxThreads, active - lentActive, blocked - lentBlocked, queued, heartbeats, activeHeartbeats));
    }

    private double OldestOf(double now)
    {
        double oldest = 0;
        foreach (ClassCore core in _set.Classes)
        {
            if (!_ages.TryGetValue(core, out QueueAgeRule? age))
            {
                _ages[core] = age = new QueueAgeRule();
            }

            oldest = Math.Max(oldest, age.Observe(now, core.QueuedCount, core.Completed + core.Limit.Active));
        }

        return oldest;
    }

    private BlockingReport Describe(DeadlockObservation? deadlock, bool isEnd = false)
    {
        (IReadOnlyList<Blocker> blockers, int workers, int blocked) = Readings.Look(readings => (
            BlockerList.Of(_set.Blockers, readings),
            readings.Count(static reading => reading.Worker is not null),
            readings.Count(static reading => reading.IsBlocked)));
        long queued = _set.QueuedCount();
        return new BlockingReport
        {
            PoolName = _options.Name,
            Blocked = blocked,
            Workers = workers,
            WorkersBefore = _report.WorkersBefore,
            Queued = queued,
            OldestWait = OldestWait,
            Blockers = blockers,
            Message = isEnd ? BlockingMessageRule.OfEnd(queued)
                : deadlock is { } stuck ? BlockingMessageRule.OfDeadlock(stuck.Blocked, stuck.MaxThreads, queued, _options.DeadlockTimeout, blockers)
                : BlockingMessageRule.OfReport(blocked, workers, _report.WorkersBefore, OldestWait, blockers),
        };
    }

    private void Tell(Action told)
    {
        try
        {
            told();
        }
        catch (Exception exception)
        {
            // A handler's mistake must not end the watch.
            _set.ReportFault(exception);
        }
    }

    private static double Seconds(TimeSpan time) => time == Timeout.InfiniteTimeSpan ? double.PositiveInfinity : time.TotalSeconds;
}
