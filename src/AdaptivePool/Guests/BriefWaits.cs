using AdaptivePool.Sensing;

namespace AdaptivePool.Guests;

/// <summary>
/// Looks at the classes of a pool whose requests wait briefly, and lets each of them begin or end with guests. Runs on the threads of requests, a few times a
/// second, where each looks at some of the classes; not at all while no class has such requests. Holds no formula.
/// </summary>
/// <param name="set">The pool's classes.</param>
/// <param name="root">Stands for "/".</param>
internal sealed class BriefWaits(WorkerSet set, string root)
{
    /// <summary>
    /// Classes that one request looks at, at most, in some 0.1 ms. It looks at each twice: it counts first, and decides when all are counted.
    /// </summary>
    public const int MostAtOnce = 512;

    private readonly Lock _looking = new();
    private CpuMeter? _cpu;
    private long _nextTicks;
    private TimeSpan? _lastAt;
    private long _lastServed;

    // The look that is under way; no classes where there is none.
    private ClassCore[] _classes = [];
    private TimeSpan _beganAt;
    private int _counted;
    private int _decided;
    private long _served;
    private long _brief;
    private double _seconds;
    private BriefLook _look;

    /// <summary>Looks if it is time to, or goes on with the look that is under way. Any thread.</summary>
    public void LookIfDue()
    {
        TimeSpan now = Stopwatch.GetElapsedTime(0);

        // No thread waits for the lock: a thread that comes meanwhile has nothing to add.
        if (now.Ticks < Volatile.Read(ref _nextTicks) || !_looking.TryEnter())
        {
            return;
        }

        try
        {
            if (now.Ticks < _nextTicks)
            {
                return;
            }

            if (_classes.Length == 0)
            {
                _cpu ??= new CpuMeter(root);
                _cpu.Observe(now.TotalSeconds);
                Begin(now, _cpu.IsKnown ? _cpu.IdleCores / _cpu.Cores : double.NaN);
            }

            GoOn(now, MostAtOnce);
        }
        finally
        {
            _looking.Exit();
        }
    }

    /// <summary>Looks at all classes. One thread at a time.</summary>
    /// <param name="now">The present time.</param>
    /// <param name="idle">Idle part of the machine since the last look; NaN when not known.</param>
    public void Look(TimeSpan now, double idle)
    {
        Begin(now, idle);
        GoOn(now, int.MaxValue);
    }

    private void Begin(TimeSpan now, double idle)
    {
        _look = new(now - _lastAt <= BriefWaitRule.Late ? idle : double.NaN, double.NaN, double.NaN);
        (_classes, _beganAt, _counted, _decided, _served, _brief, _seconds) = (set.Classes, now, 0, 0, 0, 0, 0);
    }

    private void GoOn(TimeSpan now, int most)
    {
        for (; most > 0 && _counted < _classes.Length; most--)
        {
            Count(_classes[_counted++]);
            if (_counted == _classes.Length)
            {
                Compare();
            }
        }

        for (; most > 0 && _decided < _classes.Length; most--)
        {
            _classes[_decided++].Owner.Guests?.DecideBriefWaits(now, _look);
        }

        if (_decided == _classes.Length)
        {
            // From its end: a look at many classes takes many requests, and what is known of the machine is the time since the look began.
            (_classes, _lastAt) = ([], now);
            Volatile.Write(ref _nextTicks, (_beganAt + BriefWaitRule.Period).Ticks);
        }
    }

    private void Count(ClassCore core)
    {
        _served += core.Completed;
        if (core.Owner.Guests is { } guests)
        {
            _served += guests.Requests;
            (long requests, double seconds) = guests.LookForBriefWaits();
            _brief += requests;
            _seconds += seconds;
        }
    }

    private void Compare()
    {
        long requests = _served - _lastServed;
        _lastServed = _served;

        // After a pause, the first request is the only one. Counters move on while they are read.
        double others = requests < BriefWaitRule.FewestRequests ? double.NaN : requests > _brief ? (double)(requests - _brief) / requests : 0;
        double elapsed = (_beganAt - _lastAt)?.TotalSeconds ?? double.NaN;
        _look = _look with { Others = others, AtOnce = _seconds / elapsed / Environment.ProcessorCount };
    }
}
