using AdaptivePool.Dispatch;
using AdaptivePool.Housekeeping;
using AdaptivePool.Sensing;

namespace AdaptivePool.Sizing;

/// <summary>
/// The sizing thread. It looks, asks the policies, and is the only writer of limits (rule R10). It holds no formula. It sleeps without a time limit while the
/// pool is at rest and no thread is to end. Its other tasks are in <see cref="Housekeeper{TSync}"/>, its sleep is in SizingLoop.Rest, and the end of the pool
/// is in <see cref="PoolEnd{TSync}"/>.
/// </summary>
internal sealed partial class SizingLoop
{
    /// <summary>
    /// How long the fast looks continue after the last item had to wait, so that a load around its limit does not wake the thread again and again.
    /// </summary>
    private const double AfterglowSeconds = 0.1;

    private readonly WorkerSet _set;
    private readonly PoolEnd _end;
    private readonly AdaptivePoolOptions _options;
    private readonly StarterLoop _starter;
    private readonly Func<string, IPoolController> _createController;
    private readonly Action<ControllerTrace> _onDecision;
    private readonly Doze<RealSync> _doze;
    private readonly WorkerWatch _watch;
    private readonly CpuMeter _cpu;
    private readonly LimitMerge _merge = new();
    private readonly AgeRule _age = new();
    private readonly DrainTimeRule _drain;
    private readonly ProgramEnd _programEnd;
    private readonly long _startedAt = Stopwatch.GetTimestamp();
    private readonly List<ClassSizing> _sizings = [];
    private ClassSizing?[] _known = [];
    private ClassSizing? _inFlight;
    private ClassDecision[] _newDecisions = [];
    private ClassClaim[] _claims = [];
    private long[] _ended = [];
    private long _completed;
    private int[] _limits = [];
    private SizeRequest _wish;
    private SizeRequest _obeyed;
    private TimeSpan _nextLook = TickRule.Shortest;
    private double _busyUntil;
    private MachineUse _use;
    private bool _hasFailed;

    public SizingLoop(WorkerSet set, AdaptivePoolOptions options, StarterLoop starter,
        Func<string, IPoolController> createController, Action<ControllerTrace> onDecision, Action<string> warn, PoolSurroundings surroundings, PoolEnd end)
    {
        _set = set;
        _end = end;
        Housekeeper = new Housekeeper<RealSync>(set, options.IdleTimeout, options.PriorityKickUp, surroundings.HasSafetyNet);

        // WakeUp comes for these reasons only. A wish and the end of the pool use Call.
        _doze = new Doze<RealSync>(() => _set.QueuedCount() > 0 || _set.HasRead || HasNewClass());
        _options = options;
        _starter = starter;
        _createController = createController;
        _onDecision = onDecision;
        _wish = _obeyed = new SizeRequest(options.EffectiveMinThreads, options.MaxThreads, options.MinThreads ?? 0);
        _warn = warn;
        _threadRoom = new ThreadRoom(surroundings.Root, AdaptivePoolOptions.DefaultMaxThreads);
        _programEnd = surroundings.End;
        _drain = new DrainTimeRule(Seconds(options.DrainTimeout), Seconds(options.DeadlockTimeout));
        _watch = new WorkerWatch(ProcessLimit.KeptFiles(surroundings.Root, WorkerWatch.MostFiles));
        _cpu = new CpuMeter(surroundings.Root);
        _time = new CountedTime(Collected, _cpu.OwnSecondsSinceLook);
        _budget = surroundings.Budget.Join(surroundings.IsElastic, () => _set.Existing);
        _set.TellsFirstWork = options is { Sizing.CreateController: null, HillClimbing.Profile: ControllerProfile.SeedWave };
        _memoryMeter = new MemoryMeter(surroundings.Root, surroundings.Heap);
        _memoryGuard = new MemoryGuardRule(options.MemoryLimitShare);
        _memoryGrowth = new MemoryGrowthRule(options.MemoryLimitShare);
        LookAtThreads(0);
        _set.MaxThreads = MostThreads;
    }

    /// <summary>Starts the thread. Called once.</summary>
    /// <exception cref="InvalidOperationException">The system refused.</exception>
    public void Start(ThreadSource threads) => threads.Start(Run, _options.Name + " sizing");

    /// <summary>What the thread does besides sizing.</summary>
    public Housekeeper<RealSync> Housekeeper { get; }

    /// <summary>Threads that stay, and the lowest target: the value that was set, or less where the system allows fewer.</summary>
    public int MinThreads => Math.Min(Wish.MinThreads, _set.MaxThreads);

    /// <summary>The most threads that the user wishes.</summary>
    public int WishedThreads => Wish.MaxThreads;

    /// <summary>The user's wish. Its bounds hold at once and together, also when other threads set a wish at the same time.</summary>
    private SizeRequest Wish => Volatile.Read(ref _wish);

    /// <summary>Sum of the class limits within the bounds.</summary>
    public int Target
    {
        get
        {
            long sum = _set.Classes.Sum(static core => (long)core.Limit.Value);
            int most = _set.MaxThreads;
            return (int)Math.Clamp(sum, Math.Min(MinThreads, most), most);
        }
    }

    /// <summary>Called when a limit holds work up. Any thread may call it; it is a read when the thread is awake.</summary>
    public void WakeUp() => _doze.WakeUp();

    /// <summary>Begins the end of the pool.</summary>
    /// <returns>A task that ends when the pool has ended.</returns>
    public Task Close() => _end.Close(_doze.Call);

    /// <summary>Whether the thread sleeps until it is woken or the next quiet look. A hint.</summary>
    public bool IsAsleep => _doze.IsAsleep;

    /// <summary>Takes a user's wish. The sizing thread carries it out.</summary>
    public void Request(SizeRequest request)
    {
        // Held until the sizing thread is told: that thread finds the waiting work that may run now.
        using OwedWake owed = _set.OweWake();

        // Bounds hold at once. Only the sizing thread writes the limits inside them.
        Volatile.Write(ref _wish, request);
        _set.MaxThreads = MostThreads;
        _doze.Call();
    }

    private void Run()
    {
        _set.EnterThread();
        while (true)
        {
            try
            {
                if (Step())
                {
                    return;
                }
            }
            catch (OutOfMemoryException)
            {
                // The heap is full for a moment. The next look sees what this look did not.
                Wait(TickRule.Longest);
            }
        }
    }

    /// <summary>A look, and the wait for the next one.</summary>
    /// <returns>Whether the pool has ended.</returns>
    private bool Step()
    {
        double now = LookAtClock();
        bool busy = TryTick(now);
        if (_end.IsClosed)
        {
            if (_end.TryFinish(_drain.IsOver(now, LookAtDrain()), GiveBack))
            {
                return true;
            }

            Wait(TickRule.Shortest);
        }
        else if (busy || now < _busyUntil)
        {
            Wait(_nextLook);
        }
        else
        {
            Sleep(now);
        }

        return false;
    }

    private DrainObservation LookAtDrain() => new(_programEnd.Spent.TotalSeconds, _programEnd.IsExiting, _watch.Heartbeats, _watch.CpuSeconds);

    private static double Seconds(TimeSpan? time) => time is { } set && set != Timeout.InfiniteTimeSpan ? set.TotalSeconds : double.PositiveInfinity;

    // After any failure of a look the limits stay as they are, and there is a next look. The failure is reported once, because it may happen each time.
    private bool TryTick(double now)
    {
        try
        {
            return Tick(now);
        }
        catch (Exception exception)
        {
            if (!_hasFailed)
            {
                _hasFailed = true;
                _set.ReportFault(exception);
            }

            _nextLook = TickRule.Longest;
            return true;
        }
    }

    /// <summary>One look.</summary>
    /// <returns>Whether work waits.</returns>
    private bool Tick(double now)
    {
        // This comes first: a wish that is set before the first look concerns the classes that exist.
        FollowClasses();
        Obey();
        Worker?[] workers = _set.Workers;
        _watch.Look(workers, now, Elapsed, Collected);
        Housekeeper.OfferHeldUp(_watch.RunningOn);
        MachineObservation machine = Machine();
        foreach (ClassSizing sizing in _sizings)
        {
            sizing.ObserveTinyItems(machine, now);
            Housekeeper.LookAt(sizing.Core);
        }

        Housekeeper.LookAtHeldBack(now);
        Housekeeper.PayWakes();
        bool waiting = Size(workers, now);
        if (_set.LocalCount() > 0)
        {
            // A second look finds local work behind an item that continues to run.
            waiting = true;
            _nextLook = TickRule.Shortest;
        }

        if (waiting)
        {
            _busyUntil = now + AfterglowSeconds;
        }

        Housekeeper.LookAtThreads(now, MinThreads);
        _set.OnLook(waiting);
        return waiting;
    }

    private bool Size(Worker?[] workers, double now)
    {
        MachineObservation machine = Machine();
        _use = _use.With(TimeSpan.FromSeconds(now), machine);
        machine = machine with { Use = _use };
        bool waiting = false;
        GuardThreads(now);
        _nextLook = TickRule.Longest;
        CountCompleted();
        int count = _sizings.Count;
        for (int i = 0; i < count; i++)
        {
            ClassSizing sizing = _sizings[i];
            ClassCore core = sizing.Core;
            int queued = core.Queue.Ages.Waiting;
            waiting |= queued > 0;
            _newDecisions[i] = sizing.Decide(_watch, machine, Progress(i), queued, LeastLimit(core, machine), now, out TimeSpan nextLook);

            // Work in flight always has a claim: running items may be waiting for it. Hogs with a weight have a common limit of their own.
            int demand = Math.Max(core.Limit.Active + queued, core.IsInFlight ? 1 : 0);
            _claims[i] = new(_newDecisions[i].Limit, demand, sizing.IsHog && core.Share is null, core.IsFixed);
            _nextLook = nextLook < _nextLook ? nextLook : _nextLook;
        }

        Decay(now);

        // Root work and work in flight have a claim to one thread each, and share a lone thread.
        (int hogThreads, int most) = (HogBudget(machine), Math.Max(ThreadRoomRule.Least, _set.MaxThreads));
        _set.TakesTurns = _merge.Merge(_claims.AsSpan(0, count), hogThreads, most, _limits);
        KeepShareLimits(machine);
        HoldLimits();
        for (int i = 0; i < count; i++)
        {
            int limit = _claims[i].IsFixed ? _claims[i].Wanted : _limits[i];
            if (_sizings[i].Adopt(limit, now))
            {
                _set.LookAfterRaise(_sizings[i].Core);
            }
        }

        SizeShares(workers, machine, now);

        // After the sizes: a caller that waits for a thread does not wait for the events about the decisions.
        Tell();
        TellRoom(machine, now);
        LeaveUnused();
        LookAtMachine();
        GuardMemory(waiting, now);
        return waiting;
    }

    private void Tell()
    {
        for (int i = 0; i < _sizings.Count; i++)
        {
            if (_newDecisions[i].Trace is { } trace)
            {
                _onDecision(trace);
            }
        }
    }

    /// <summary>Halves the weight of old items for all classes. A class without work ages, too.</summary>
    private void Decay(double now)
    {
        if (!_age.Halves(now))
        {
            return;
        }

        foreach (ClassSizing? sizing in _known.Append(_inFlight))
        {
            sizing?.Core.ServiceTimes.Decay();
            sizing?.Core.DecaySampledWaits();
        }
    }

    /// <summary>
    /// Lists the classes that are marked as used: those that have had work, and those that <see cref="LeaveUnused"/> has left marked. No other class is
    /// looked at. All arrays are kept from tick to tick: a look allocates no memory.
    /// </summary>
    private void FollowClasses()
    {
        int classes = _set.Classes.Length;
        if (_known.Length < classes)
        {
            Array.Resize(ref _known, 2 * classes);
        }

        // Work in flight is always followed.
        _sizings.Clear();
        _sizings.Add(_inFlight ??= CreateSizing(_set.InFlight));
        for (ClassCore? used = _set.NextUsed(0); used is not null && used.Number < _known.Length; used = _set.NextUsed(used.Number + 1))
        {
            _sizings.Add(_known[used.Number] ??= CreateSizing(used));
        }

        int count = _sizings.Count;
        if (_claims.Length < count)
        {
            int room = _known.Length + 1;
            _newDecisions = new ClassDecision[room];
            _ended = new long[room];
            _claims = new ClassClaim[room];
            _limits = new int[room];
        }
    }

    // Work in flight is the first entry.
    private PoolProgress Progress(int i) => new(_ended[i], _completed - _ended[0] - (i == 0 ? 0 : _ended[i]), _ended[0]);

    /// <summary>Counts completions. The count of a class without work does not change, so the classes that are followed are enough.</summary>
    private void CountCompleted()
    {
        for (int i = 0; i < _sizings.Count; i++)
        {
            _ended[i] = _sizings[i].Core.Completed;
            _completed += _ended[i] - _sizings[i].Completed;
        }
    }

    /// <summary>
    /// Ends the looks at a class that was without work at this tick, until it has work again. A class whose size is still to be judged keeps its mark, and is
    /// looked at.
    /// </summary>
    private void LeaveUnused()
    {
        for (int i = 0; i < _sizings.Count; i++)
        {
            ClassSizing sizing = _sizings[i];
            if (!sizing.Core.IsInFlight && _claims[i].Demand == 0 && !sizing.HoldsUnverified)
            {
                _set.LeaveIfUnused(sizing.Core);
            }
        }
    }

    private ClassSizing CreateSizing(ClassCore core)
    {
        IPoolController controller = _createController(core.Name);
        _set.TellsFirstWork |= IWholeController.Is(controller);
        return new ClassSizing(core, Wish.MaxThreads, controller, _options);
    }

    private void Obey()
    {
        if (ReferenceEquals(Wish, _obeyed))
        {
            return;
        }

        _obeyed = Wish;
        foreach (ClassSizing? sizing in _known.Append(_inFlight))
        {
            sizing?.Resize(_obeyed.MaxThreads);
        }

        // Waiting work may have room already and lack only the thread that the old maximum did not allow, or the place among all root work.
        _set.LookAgain();
        _starter.Request();
    }
}
