using AdaptivePool.Control;
using AdaptivePool.Simulation.Curves;

namespace AdaptivePool.Simulation;

/// <summary>
/// A pool on virtual time. Throughput relaxes to the curve with the time constant R = N / X (Little's law); growing acts at once, shrinking lets one thread go
/// per completion. Noise: counting noise of variance = count, times a lognormal factor, autoregressive over ticks of 100 ms and constant inside a tick.
/// Saturated unless a number of arrivals is given; then a queue builds when they exceed what the size can do, and is empty otherwise.
/// </summary>
public sealed class SimulatedPool
{
    private const double Tick = 0.1;
    private const double Grain = 1e-9;

    // Threads that leave within one step of integration: the curve is taken as straight over so many.
    private const double LeavingPerStep = 0.02;
    private const double FewestLeaving = 0.5;
    private const double LongestStepWithQueue = 0.01;
    internal const int UnknownCores = 2;

    private readonly SimulationSettings _settings;
    private readonly SimulationNoise _noise;
    private int _nextChange;
    private double _nextTick = Tick;
    private double _threads;
    private double _rate;
    private double _queue;
    private long _queued;

    /// <summary>Creates a saturated pool.</summary>
    public SimulatedPool(CostCurve curve, int start, double noise, double correlation, int seed)
        : this(curve, start, new SimulationSettings { Noise = noise, Correlation = correlation, Seed = seed })
    {
    }

    /// <summary>Creates a pool.</summary>
    public SimulatedPool(CostCurve curve, int start, SimulationSettings settings)
    {
        _settings = settings;
        Curve = curve;
        Target = start;
        _threads = start;
        _rate = curve.Throughput(start);
        _noise = new(settings.Noise, settings.Correlation, settings.Seed);
    }

    /// <summary>The curve in force; may be exchanged in mid-run.</summary>
    public CostCurve Curve { get; set; }

    /// <summary>The size decided.</summary>
    public int Target { get; set; }

    /// <summary>Virtual time, in seconds.</summary>
    public double Now { get; private set; }

    /// <summary>Completions so far without their noise: what the sizes chosen were worth.</summary>
    public double Delivered { get; private set; }

    /// <summary>What the best size would have delivered so far.</summary>
    public double Ideal { get; private set; }

    /// <summary>Completions so far with the noise of the ticks.</summary>
    public double Completed { get; private set; }

    /// <summary>Where to note every tick and change; null: nowhere.</summary>
    public ICollection<SimulationPoint>? Points { get; set; }

    /// <summary>The present moment.</summary>
    public SimulationPoint Point => new(Now, Target, _rate, Delivered, Ideal, Completed);

    /// <summary>Goes on for an interval with bounds of its own and says what a controller would be told.</summary>
    public PoolSample Run(TimeSpan interval, int maxTarget)
    {
        var meters = new Meters { Delivered = Delivered, Completed = Completed };
        Advance(Now + interval.TotalSeconds, ref meters);
        return Sample(interval, maxTarget, meters);
    }

    /// <summary>Goes on for an interval and says what a controller would be told.</summary>
    public PoolSample Run(TimeSpan interval) => Run(interval, _settings.MaxTarget);

    private void Advance(double end, ref Meters meters)
    {
        while (Now < end - Grain)
        {
            double change = _nextChange < _settings.Changes.Count ? _settings.Changes[_nextChange].At : double.PositiveInfinity;
            Step(Math.Min(Math.Min(end, change), _nextTick), ref meters);
            if (Now >= change - Grain)
            {
                Curve = _settings.Changes[_nextChange++].Curve;
                Points?.Add(Point);
            }

            if (Now >= _nextTick - Grain)
            {
                _nextTick += Tick;
                _noise.NextTick();
                Points?.Add(Point);
            }
        }
    }

    private void Step(double until, ref Meters meters)
    {
        bool isLeaving = Target < _threads;
        if (!isLeaving)
        {
            _threads = Target;
        }

        double step = until - Now;
        if (isLeaving)
        {
            step = Math.Min(step, Math.Max(FewestLeaving, LeavingPerStep * _threads) / Math.Max(_rate, Grain));
        }

        if (_settings.ArrivalsPerSecond is not null)
        {
            step = Math.Min(step, LongestStepWithQueue);
        }

        double goal = Curve.Throughput(_threads);
        double response = _threads / Math.Max(goal, Grain);
        double decay = Math.Exp(-step / response);
        double done = (goal * step) + ((_rate - goal) * response * (1 - decay));
        _rate = goal + ((_rate - goal) * decay);
        double completed = done * _noise.Factor;
        double best = Curve.Best * step;
        meters.ThreadSeconds += _threads * step;
        if (_settings.ArrivalsPerSecond is { } arrivals)
        {
            double offered = _queue + (arrivals * step);
            best = Math.Min(best, arrivals * step);
            if (offered < completed)
            {
                done = offered;
                completed = offered;
            }

            _queue = offered - completed;
            meters.QueueSeconds += _queue * step;
            meters.LongestQueue = Math.Max(meters.LongestQueue, _queue);
        }

        if (isLeaving)
        {
            _threads = Math.Max(Target, _threads - done);
        }

        Delivered += done;
        Completed += completed;
        Ideal += best;

        // The end of a tick is met exactly, or rounding would leave slivers of time.
        Now = step >= until - Now ? until : Now + step;
    }

    private PoolSample Sample(TimeSpan interval, int maxTarget, in Meters meters)
    {
        double elapsed = interval.TotalSeconds;
        double rate = (Delivered - meters.Delivered) / elapsed;
        (long completions, long arrivals) = Counts(elapsed, Completed - meters.Completed);
        bool isSaturated = _settings.ArrivalsPerSecond is null;
        int existing = (int)Math.Ceiling(_threads);
        int active = isSaturated || _queued > 0 ? existing : Math.Min(existing, Curve.SizeFor(rate));
        double counted = Math.Max(completions, Grain);
        double busySeconds = isSaturated || meters.QueueSeconds > 0 ? meters.ThreadSeconds : active * elapsed;
        double wait = isSaturated ? _settings.SaturatedQueue * elapsed / counted : meters.QueueSeconds / counted;
        double longestWait = isSaturated ? wait : meters.LongestQueue * elapsed / counted;
        TimeSpan service = completions > 0 ? TimeSpan.FromSeconds(busySeconds / counted) : TimeSpan.Zero;
        bool isCpuKnown = _settings.IsCpuKnown && Curve.KnowsCpu;
        double utilisation = isCpuKnown ? Math.Min(1, Curve.Utilisation(rate) * _noise.Reading(_settings.UtilisationNoise)) : double.NaN;
        int running = isCpuKnown ? Math.Min(active, (int)Math.Ceiling(Curve.Runnable(active))) : 0;
        return new PoolSample
        {
            Elapsed = interval,
            Completions = completions,
            Target = Target,
            MinTarget = 1,
            MaxTarget = maxTarget,
            Arrivals = arrivals,
            Queued = isSaturated ? _settings.SaturatedQueue : (int)Math.Min(_queued, int.MaxValue),
            MeanQueueWait = completions > 0 ? TimeSpan.FromSeconds(wait) : TimeSpan.Zero,
            MaxQueueWait = completions > 0 ? TimeSpan.FromSeconds(Math.Max(wait, longestWait)) : TimeSpan.Zero,
            MeanServiceTime = service,
            OldestItemAge = service,
            Active = active,
            Running = running,
            Blocked = isCpuKnown ? active - running : 0,
            WorkerCpuSeconds = utilisation * Curve.Cores * elapsed,
            Utilisation = utilisation,
            Cores = Curve.KnowsCpu ? Curve.Cores : UnknownCores,
            Connections = _settings.Connections,
        };
    }

    private (long Completions, long Arrivals) Counts(double elapsed, double completed)
    {
        if (_settings.ArrivalsPerSecond is not { } perSecond)
        {
            long count = _noise.Count(completed);
            return (count, count);
        }

        // What waits, came and went must add up in whole items; with an empty queue everything that came has gone.
        long arrivals = _noise.Count(perSecond * elapsed);
        long there = _queued + arrivals;
        long completions = _queue < 1 ? there : Math.Min(there, _noise.Count(completed));
        _queued = there - completions;
        _queue = _queued;
        return (completions, arrivals);
    }

    private struct Meters
    {
        public double Delivered;
        public double Completed;
        public double ThreadSeconds;
        public double QueueSeconds;
        public double LongestQueue;
    }
}
