using AdaptivePool.Sensing;

namespace AdaptivePool.Guests;

/// <summary>
/// Looks at the classes of a pool whose requests wait briefly, and has each of them begin or end with guests. On the threads of requests, a few times a second;
/// not at all while no class has such requests. Holds no formula.
/// </summary>
/// <param name="set">The pool's classes.</param>
/// <param name="root">Stands for "/".</param>
internal sealed class BriefWaits(WorkerSet set, string root)
{
    private readonly Lock _looking = new();
    private CpuMeter? _cpu;
    private long _nextTicks;
    private TimeSpan? _lastAt;
    private long _lastServed;

    /// <summary>Looks, if it is time to. Any thread.</summary>
    public void LookIfDue()
    {
        TimeSpan now = Stopwatch.GetElapsedTime(0);

        // Never waited for: whoever comes meanwhile has nothing to add.
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

            _cpu ??= new CpuMeter(root);
            _cpu.Observe(now.TotalSeconds);
            Look(now, _cpu.IsKnown ? _cpu.IdleCores / _cpu.Cores : double.NaN);
        }
        finally
        {
            _looking.Exit();
        }
    }

    /// <summary>Looks. One thread at a time.</summary>
    /// <param name="now">The present time.</param>
    /// <param name="idle">Idle part of the machine since the last look; NaN when not known.</param>
    public void Look(TimeSpan now, double idle)
    {
        Volatile.Write(ref _nextTicks, (now + BriefWaitRule.Period).Ticks);
        long served = 0;
        long brief = 0;
        ClassCore[] classes = set.Classes;
        foreach (ClassCore core in classes)
        {
            served += core.Completed;
            if (core.Owner.Guests is { } guests)
            {
                served += guests.Requests;
                brief += guests.LookForBriefWaits();
            }
        }

        long requests = served - _lastServed;
        idle = now - _lastAt <= BriefWaitRule.Late ? idle : double.NaN;
        (_lastServed, _lastAt) = (served, now);

        // The first request after a pause is all that there is. Counters move on while they are read.
        double others = requests < BriefWaitRule.FewestRequests ? double.NaN : requests > brief ? (double)(requests - brief) / requests : 0;
        foreach (ClassCore core in classes)
        {
            core.Owner.Guests?.DecideBriefWaits(now, idle, others);
        }
    }
}
