using System.Diagnostics;
using AdaptivePool.Classes;
using AdaptivePool.Control;
using AdaptivePool.Measurement;
using AdaptivePool.Workers;

namespace AdaptivePool.Sizing;

/// <summary>
/// The sizing thread: looks, asks the policies, and is the only writer of limits (rule R10). Holds no formula. Asleep for good while nothing waits; SizingLoop.Care is what it does besides:
/// retiring idle threads, the audit, the end of the pool.
/// </summary>
internal sealed partial class SizingLoop
{
    /// <summary>Time between looks while work waits: 1.6-2.5 % of a core at 2 to 400 threads (sizing study, section 7).</summary>
    private static readonly TimeSpan s_tick = TimeSpan.FromMilliseconds(3);

    /// <summary>Time between looks while items run and none waits.</summary>
    private static readonly TimeSpan s_quietTick = TimeSpan.FromMilliseconds(100);

    /// <summary>How long the fast looks go on after the last item had to wait, so that a load around its limit does not wake the thread again and again.</summary>
    private const double AfterglowSeconds = 0.1;
    private const double DecaySeconds = 60;

    private readonly WorkerSet _set;
    private readonly AdaptivePoolOptions _options;
    private readonly StarterLoop _starter;
    private readonly Action<ControllerTrace> _onDecision;
    private readonly AutoResetEvent _wake = new(initialState: false);
    private readonly WorkerWatch _watch = new();
    private readonly WorkerSampler _sampler = new();
    private readonly CpuMeter _cpu = new();
    private readonly Dictionary<ClassCore, ClassSizing> _classes = [];
    private readonly long _startedAt = Stopwatch.GetTimestamp();
    private readonly int _cores;
    private SizeRequest? _request;
    private int _minThreads;
    private bool _isFixed;
    private double _busyUntil;
    private double _decayedAt;
    private bool _asleep;

    public SizingLoop(WorkerSet set, AdaptivePoolOptions options, StarterLoop starter, Action<ControllerTrace> onDecision)
    {
        _set = set;
        _options = options;
        _starter = starter;
        _onDecision = onDecision;
        _minThreads = options.EffectiveMinThreads;
        _cores = Math.Max(1, (int)Math.Ceiling(_cpu.Cores));
        new Thread(Run) { IsBackground = true, Name = options.Name + " sizing" }.UnsafeStart();
    }

    public int MinThreads => Volatile.Read(ref _minThreads);

    /// <summary>Sum of the class limits within the bounds.</summary>
    public int Target
    {
        get
        {
            long sum = 0;
            foreach (ClassCore core in _set.Classes)
            {
                sum += core.Limit.Value;
            }

            return (int)Math.Clamp(sum, Math.Min(MinThreads, _set.MaxThreads), _set.MaxThreads);
        }
    }

    private double Now => Stopwatch.GetElapsedTime(_startedAt).TotalSeconds;

    /// <summary>Called when work is held up by a limit. Any thread; a read when the thread is awake.</summary>
    public void WakeUp()
    {
        // Pairs with the exchange in Sleep: either the loop sees the work in its last look, or we see it asleep.
        if (Volatile.Read(ref _asleep) && Interlocked.Exchange(ref _asleep, false))
        {
            _wake.Set();
        }
    }

    /// <summary>Takes a user's wish; it is carried out by the sizing thread.</summary>
    public void Request(SizeRequest request)
    {
        // Bounds hold at once; the limits inside them are the sizing thread's to write.
        Volatile.Write(ref _minThreads, request.MinThreads);
        _set.MaxThreads = request.MaxThreads;
        Volatile.Write(ref _request, request);
        _wake.Set();
    }

    private void Run()
    {
        while (true)
        {
            double now = Now;
            bool busy = Tick(now);
            if (IsClosing)
            {
                if (TryFinish(now))
                {
                    return;
                }

                _wake.WaitOne(s_tick);
            }
            else if (busy || now < _busyUntil)
            {
                _wake.WaitOne(s_tick);
            }
            else
            {
                Sleep(now);
            }
        }
    }

    /// <summary>One look.</summary>
    /// <returns>Whether work waits.</returns>
    private bool Tick(double now)
    {
        Obey();
        Worker?[] workers = _set.Workers;
        bool heldUp = _watch.Observe(workers, now);
        if (heldUp)
        {
            Interlocked.MemoryBarrier();
            _set.WakeForInFlight();
        }

        // Pays the wakes that running workers owe for short items they were to take soon.
        if (Array.Exists(_set.Classes, static core => core.HasShortItems && core.IsEligible))
        {
            _set.EnsureWorker();
        }

        bool waiting = Size(workers, now) || _set.MayHaveSpareLocal;
        if (waiting)
        {
            _busyUntil = now + AfterglowSeconds;
        }

        Audit(now);
        RetireIdle(now);
        return waiting;
    }

    private bool Size(Worker?[] workers, double now)
    {
        _cpu.Observe(now);
        _sampler.Observe(workers, now);
        var machine = new MachineObservation(_cpu.OwnCores, _cpu.IdleCores, _cpu.Cores, _cpu.IsKnown);
        ClassCore[] cores = [.. _set.Classes, _set.InFlight];
        var decisions = new ClassDecision[cores.Length];
        var wanted = new int[cores.Length];
        var demands = new int[cores.Length];
        var hogs = new bool[cores.Length];
        bool waiting = false;
        bool decay = now - _decayedAt > DecaySeconds;
        for (int i = 0; i < cores.Length; i++)
        {
            ClassCore core = cores[i];
            int queued = core.QueuedCount + (core.IsInFlight ? _set.LocalCount() : 0);
            waiting |= queued > 0;
            ClassSizing sizing = SizingOf(core);
            decisions[i] = sizing.Decide(_watch, _sampler, machine, queued, now);
            wanted[i] = decisions[i].Limit;
            demands[i] = core.Limit.Active + queued;
            hogs[i] = sizing.IsHog;
            if (decay)
            {
                core.ServiceTimes.Decay();
            }
        }

        _decayedAt = decay ? now : _decayedAt;
        var limits = new int[cores.Length];
        SizePolicy.Merge(wanted, demands, hogs, _cores, _set.MaxThreads, limits);
        bool grown = false;
        for (int i = 0; i < cores.Length; i++)
        {
            int before = cores[i].Limit.Value;
            if (SizingOf(cores[i]).Adopt(_isFixed ? wanted[i] : limits[i], _watch))
            {
                grown |= limits[i] > before;
            }

            if (decisions[i].Trace is { } trace)
            {
                _onDecision(trace);
            }
        }

        if (grown)
        {
            // Publishes the limits before the look for room: pairs with enqueue, fence, look.
            Interlocked.MemoryBarrier();
            if (_set.HasEligibleWork())
            {
                _set.EnsureWorker();
                _starter.Request();
            }
        }

        return waiting;
    }

    private ClassSizing SizingOf(ClassCore core)
    {
        if (!_classes.TryGetValue(core, out ClassSizing? sizing))
        {
            IPoolController controller = _options.ControllerFactory?.Invoke() ?? new HillClimbingController();
            _isFixed |= controller is FixedController;
            _classes[core] = sizing = new ClassSizing(core, _cores, 1, _set.MaxThreads, controller);
        }

        return sizing;
    }

    private void Obey()
    {
        if (Interlocked.Exchange(ref _request, null) is not { } request)
        {
            return;
        }

        foreach (ClassSizing sizing in _classes.Values)
        {
            sizing.Resize(1, request.MaxThreads);
        }
    }

    private void Sleep(double now)
    {
        TimeSpan wait = UntilRetirement(now);
        if (_set.Idle.Count < _set.Existing || _classes.Values.Any(static sizing => sizing.HoldsUnverified))
        {
            wait = wait >= TimeSpan.Zero && wait < s_quietTick ? wait : s_quietTick;
        }

        // Publish, fence, look again: pairs with WakeUp.
        Interlocked.Exchange(ref _asleep, true);
        if (_set.QueuedCount() == 0 && !IsClosing && Volatile.Read(ref _request) is null)
        {
            _wake.WaitOne(wait);
            _cpu.Restart();
        }

        Volatile.Write(ref _asleep, false);
    }
}
