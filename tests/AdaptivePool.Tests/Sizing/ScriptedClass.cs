using AdaptivePool.Sensing;
using AdaptivePool.Sizing;

namespace AdaptivePool.Tests.Sizing;

/// <summary>Observations written by hand: a test moves time and says what is seen.</summary>
internal sealed class ScriptedClass
{
    private readonly ItemAges _ages = new();
    private (double At, long Completed) _look;
    private (double At, long Completed) _lookBefore;
    private double _busySeconds;
    private double _longSeconds;
    private double _emptySeconds;
    private MachineUse _use;
    private double _limitSince;

    public double Now { get; private set; }

    public int Limit { get; set; } = 2;

    public int Least { get; set; }

    public int? Active { get; set; }

    public int Queued { get; set; } = 1_000;

    public long Completed { get; set; }

    /// <summary>Of other classes of the pool.</summary>
    public long OthersCompleted { get; set; }

    public long InFlightCompleted { get; set; }

    /// <summary>So much of their time the workers are found in a long item.</summary>
    public double LongShare { get; set; }

    public GenerationStatistics Generation { get; set; }

    public bool Warm { get; set; } = true;

    public double OldestItemAge { get; set; }

    public double LongServiceSeconds { get; set; }

    /// <summary>Null where all items take the same time.</summary>
    public double? MeanServiceSeconds { get; set; }

    public bool ShortPass { get; set; }

    public double BlockedShare { get; set; } = 0.95;

    public double SleepingShare { get; set; }

    public double TaskWaitShare { get; set; }

    public double DeclaredShare { get; set; }

    /// <summary>Workers that wait where the runtime sees it, at an item older than any patience. Part of <see cref="Active"/>.</summary>
    public int StuckWaiting { get; set; }

    /// <summary>The same of workers that the runtime sees running.</summary>
    public int StuckElsewhere { get; set; }

    /// <summary>So many of the other workers hold an item since <see cref="HeldSince"/>; those left have just begun.</summary>
    public int Held { get; set; }

    public double HeldSince { get; set; }

    public double CpuShare { get; set; } = 1;

    public double OwnCores { get; set; } = 0.2;

    public double IdleCores { get; set; } = 1.8;

    public double Cores { get; set; } = 2;

    public bool MachineKnown { get; set; } = true;

    public MachineObservation Machine => new(OwnCores, IdleCores, Cores, MachineKnown) { Use = _use };

    /// <summary>The first of a moment is a look; others then are the same one.</summary>
    public ClassObservation Observation
    {
        get
        {
            if (Now > _look.At)
            {
                _lookBefore = _look;
                _use = _use.With(TimeSpan.FromSeconds(Now), Machine);
                _busySeconds += (Active ?? Limit) * (Now - _look.At);
                _longSeconds += LongShare * (Active ?? Limit) * (Now - _look.At);
                _emptySeconds += Queued == 0 ? Now - _look.At : 0;
            }

            _look = (Now, Completed);
            return Seen;
        }
    }

    private ClassObservation Seen => new()
    {
        Now = TimeSpan.FromSeconds(Now),
        Elapsed = TimeSpan.FromSeconds(Now) - TimeSpan.FromSeconds(_lookBefore.At),
        Ended = Completed - _lookBefore.Completed,
        Limit = Limit,
        LimitSince = TimeSpan.FromSeconds(_limitSince),
        Least = Least,
        Active = Active ?? Limit,
        BusySeconds = _busySeconds,
        LongSeconds = _longSeconds,
        Queued = Queued,
        EmptySeconds = _emptySeconds,
        Completed = Completed,
        OthersCompleted = OthersCompleted,
        InFlightCompleted = InFlightCompleted,
        Generation = Generation,
        Old = Warm ? 0 : 1,
        Ages = HeldAges(),
        OldestItemAge = TimeSpan.FromSeconds(OldestItemAge),
        LongServiceSeconds = LongServiceSeconds,
        MeanServiceSeconds = MeanServiceSeconds ?? LongServiceSeconds,
        ShortPass = ShortPass,
        BlockedShare = BlockedShare,
        SleepingShare = SleepingShare,
        TaskWaitShare = TaskWaitShare,
        DeclaredShare = DeclaredShare,
        CpuShare = CpuShare,
        Cores = Machine.WholeCores,
    };

    public void Wait(double seconds) => Now += seconds;

    /// <summary>Time passes in which so many items that started at the limit in force complete, each after the same service time.</summary>
    public void Complete(double seconds, int items, double service)
    {
        Now += seconds;
        Completed += items;
        Generation = new(Generation.Completed + items, Generation.Timed + items, Generation.ServiceSeconds + (items * service),
            Generation.ServiceSecondsSquared + (items * service * service));
    }

    public void Adopt(int limit)
    {
        if (limit != Limit)
        {
            (Limit, _limitSince) = (limit, Now);
            Generation = default;
        }
    }

    private ItemAges HeldAges()
    {
        const double Hour = 3_600;
        _ages.Clear();
        int active = Active ?? Limit;
        for (int i = 0; i < active; i++)
        {
            int other = i - StuckWaiting - StuckElsewhere;
            double age = other < 0 ? Hour : other < Held ? Now - HeldSince : 0;
            _ages.Add(age, waits: i < StuckWaiting || other >= 0);
        }

        return _ages;
    }
}
