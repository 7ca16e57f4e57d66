using AdaptivePool.Control;
using AdaptivePool.Simulation.Curves;
using AdaptivePool.Sizing;

namespace AdaptivePool.Simulation.Classes;

/// <summary>
/// A work class before a curve: its whole policy, told at every look what a real pool would measure. The pool below it is the one that controllers climb in;
/// items are batches of those that began between two looks, and end in the order in which they began.
/// </summary>
internal sealed class CurveClass
{
    // Idle counters are read over so long: a reading of CPU use is a mean of that.
    private const double MachineWindow = 0.03;

    // Old items are weighed and their percentile is read so often.
    private const double PercentileEvery = 0.1;

    // Transactions of one kind differ by about half of their mean; who only waits for a time does not.
    private const double ServerVariation = 0.5;
    private const double TimedFrom = 0.001;
    private const double OneInSoManyShortOnes = 64;

    private readonly SimulatedPool _pool;
    private readonly SimulationSettings _settings;
    private readonly ClassSizePolicy _policy;
    private readonly ISizeVerifier _verifier;
    private readonly LongServiceTime _long = new();
    private readonly Queue<Batch> _inFlight = [];
    private GenerationStatistics _statistics;
    private MachineUse _use;
    private MachineObservation _machine;
    private double _timed;
    private double _ended;
    private double _longSeconds;
    private double _meanSeconds;
    private double _longAt;
    private double _cpuSeconds;
    private double _cpuFrom;
    private double _blocked = double.NaN;
    private long _completed;
    private int _active;
    private int _generation;
    private int _goneOfOldest;
    private int _old;

    /// <summary>Creates a class that starts at the pool's size.</summary>
    /// <param name="pool">The pool.</param>
    /// <param name="settings">Its circumstances.</param>
    /// <param name="sizing">Its bounds and constants.</param>
    public CurveClass(SimulatedPool pool, SimulationSettings settings, ClassSizeSettings sizing)
    {
        _pool = pool;
        _settings = settings;
        HillClimbingController controller = new();
        _policy = new(sizing with { StartLimit = pool.Target }, controller);
        _verifier = controller;
    }

    /// <summary>Two cores, or as many as the curve knows.</summary>
    /// <param name="curve">The curve.</param>
    public static int CoresOf(CostCurve curve) => curve.KnowsCpu ? (int)Math.Ceiling(curve.Cores) : SimulatedPool.UnknownCores;

    /// <summary>Those of a class of two cores, or of as many as the curve knows.</summary>
    /// <param name="curve">The curve at the beginning.</param>
    /// <param name="settings">The circumstances.</param>
    public static ClassSizeSettings Settings(CostCurve curve, SimulationSettings settings) => new()
    {
        StartLimit = CoresOf(curve),
        MaxLimit = settings.MaxTarget,
    };

    /// <summary>When the policy wants the next look.</summary>
    public TimeSpan NextLook { get; private set; } = TickRule.Shortest;

    /// <summary>What the policy is doing, in words.</summary>
    public string State => _policy.State;

    /// <summary>The size that the class has verified; zero while it looks for a better one.</summary>
    public int Verified => _verifier.VerifiedSize == _policy.Verified ? _policy.Verified : 0;

    /// <summary>What the policy takes its items for.</summary>
    public WorkKind Kind => _policy.Kind;

    /// <summary>Goes on for a while, and lets the policy decide.</summary>
    /// <param name="interval">For how long.</param>
    public ClassDecision Look(TimeSpan interval)
    {
        PoolSample sample = _pool.Run(interval);
        Follow(sample);
        ReadMachine(sample);
        ClassObservation c = Observe(sample);
        _use = _use.With(c.Now, _machine);
        ClassDecision decision = _policy.Decide(c, _machine with { Use = _use });
        NextLook = _policy.NextLook(c);
        if (decision.Limit != _pool.Target)
        {
            _pool.Target = decision.Limit;
            _generation++;
            _old = _active;
            _statistics = default;
            (_timed, _ended) = (0, 0);
        }

        return decision;
    }

    private void Follow(in PoolSample sample)
    {
        double seconds = sample.Elapsed.TotalSeconds;
        double middle = _pool.Now - (seconds / 2);
        long left = sample.Completions;
        _completed += left;
        while (left > 0 && _inFlight.TryPeek(out Batch oldest))
        {
            int there = oldest.Items - _goneOfOldest;
            int ended = (int)Math.Min(left, there);
            End(ended, Math.Max(seconds / 2, middle - oldest.BegunAt), oldest.Generation);
            left -= ended;
            _active -= ended;
            _old -= oldest.Generation == _generation ? 0 : ended;
            _goneOfOldest = ended < there ? _goneOfOldest + ended : 0;
            if (ended == there)
            {
                _inFlight.Dequeue();
            }
        }

        // Items so short that they began and ended between two looks.
        End(left, seconds * Math.Max(1, sample.Active) / Math.Max(1, sample.Completions), _generation);
        if (sample.Active > _active)
        {
            _inFlight.Enqueue(new(middle, sample.Active - _active, _generation));
            _active = sample.Active;
        }

        _long.Age(seconds);
        if (_pool.Now - _longAt >= PercentileEvery)
        {
            _longAt = _pool.Now;
            _longSeconds = _long.Percentile();
            _meanSeconds = _long.Mean();
        }
    }

    private void End(long items, double service, int generation)
    {
        if (items <= 0)
        {
            return;
        }

        _long.Add(service, items);
        if (generation != _generation)
        {
            return;
        }

        double variation = _pool.Curve.Sleeps ? 0 : ServerVariation;
        _ended += items;
        _timed += service >= TimedFrom ? items : items / OneInSoManyShortOnes;
        long timed = (long)_timed - _statistics.Timed;
        _statistics = new(
            (long)_ended,
            (long)_timed,
            _statistics.ServiceSeconds + (timed * service),
            _statistics.ServiceSecondsSquared + (timed * service * service * (1 + (variation * variation))));
    }

    private void ReadMachine(in PoolSample sample)
    {
        if (double.IsNaN(sample.Utilisation))
        {
            return;
        }

        _cpuSeconds += sample.WorkerCpuSeconds;
        double window = _pool.Now - _cpuFrom;
        if (window < MachineWindow)
        {
            return;
        }

        double own = Math.Min(sample.Cores, _cpuSeconds / window);
        (_cpuSeconds, _cpuFrom) = (0, _pool.Now);
        _machine = new(own, sample.Cores - own, sample.Cores, Known: true);
        _blocked = (double)sample.Blocked / Math.Max(1, sample.Active);
    }

    private ClassObservation Observe(in PoolSample sample) => new()
    {
        Now = TimeSpan.FromSeconds(_pool.Now),
        Limit = _pool.Target,
        Active = _active,
        Queued = sample.Queued,
        Completed = _completed,
        Generation = _statistics,
        Old = _old,
        OldestItemAge = TimeSpan.FromSeconds(_inFlight.TryPeek(out Batch oldest) ? _pool.Now - oldest.BegunAt : 0),
        LongServiceSeconds = _longSeconds,
        MeanServiceSeconds = _meanSeconds,
        BlockedShare = _blocked,
        SleepingShare = _pool.Curve.Sleeps && _settings.IsCpuKnown && _blocked > 0 ? _blocked : 0,
        CpuShare = 1,
        Cores = Math.Max(1, (int)Math.Ceiling(sample.Cores)),
    };

    private readonly record struct Batch(double BegunAt, int Items, int Generation);
}
