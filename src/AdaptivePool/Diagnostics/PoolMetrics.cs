using System.Diagnostics.Metrics;
using System.Globalization;
using AdaptivePool.Dispatch.Queues;

namespace AdaptivePool.Diagnostics;

/// <summary>The metrics of a pool. One meter serves all pools of the process, or of a meter factory; a tag distinguishes the pools.</summary>
internal sealed class PoolMetrics : IDisposable
{
    private static readonly double[] s_quantiles = [0.5, 0.99];
    private static readonly string[] s_reasons = Enum.GetNames<DecisionReason>();
    private readonly MeterMembers<PoolMetrics> _pools;
    private readonly Counter<long> _decisions;
    private readonly Counter<long> _deadlocks;
    private readonly Counter<long> _refused;
    private readonly Counter<long> _guests;
    private readonly AdaptiveThreadPool _owner;
    private KeyValuePair<string, object?> _pool;
    private bool _isReported;

    /// <param name="poolName">Name of the pool.</param>
    /// <param name="owner">The pool.</param>
    /// <param name="factory">The factory of the meter; <see langword="null"/> for the meter of the process.</param>
    public PoolMetrics(string poolName, AdaptiveThreadPool owner, IMeterFactory? factory = null)
    {
        _owner = owner;
        _pools = MeterMembers<PoolMetrics>.Of(factory, static pool => (string)pool._pool.Value!, Observe);

        // If the meter already has a counter of this name, it returns that counter.
        Meter meter = _pools.Meter;
        _decisions = meter.CreateCounter<long>(MetricNames.Decisions, "{decision}", "Decisions about a size, by reason.");
        _deadlocks = meter.CreateCounter<long>(MetricNames.Deadlocks, "{deadlock}", "Times the pool was found deadlocked.");
        _refused = meter.CreateCounter<long>(MetricNames.Refused, "{item}", "Items that were not run, by reason.");
        _guests = meter.CreateCounter<long>(MetricNames.GuestDecisions, "{decision}", "Decisions whether requests of a class run on the server's threads.");
        _pools.Add(this, poolName, unique => _pool = new("pool", unique));
    }

    /// <summary>Counts a decision.</summary>
    /// <param name="trace">The decision.</param>
    public void Count(ControllerTrace trace) => Count(_decisions, _pool, new("class", trace.ClassName), new("reason", s_reasons[(int)trace.Reason]));

    /// <summary>Counts that the pool was found deadlocked.</summary>
    public void CountDeadlock() => Count(_deadlocks, _pool);

    /// <summary>Counts an item that was not run.</summary>
    /// <param name="className">Its class.</param>
    /// <param name="reason">The reason.</param>
    public void CountRefusal(string className, string reason) => Count(_refused, _pool, new("class", className), new("reason", reason));

    /// <summary>Counts that requests of a class run on the server's threads from now on, or no longer.</summary>
    /// <param name="className">The class.</param>
    /// <param name="areGuests">Whether they run there.</param>
    /// <param name="reason">The reason, one of a few words.</param>
    public void CountGuests(string className, bool areGuests, string reason) =>
        Count(_guests, _pool, new("class", className), new("guests", areGuests), new("reason", reason));

    /// <summary>Takes the pool out of the gauges.</summary>
    public void Dispose() => _pools.Remove(this);

    private static void Observe(MeterMembers<PoolMetrics> pools)
    {
        void Gauge(string name, string unit, string description, Func<WorkerSet, long> read) =>
            pools.Gauge<long>(name, unit, description, pool => [new(read(pool._owner.Set), pool._pool)]);
        void Total(string name, string unit, string description, Func<PoolMetrics, long> read) =>
            pools.Total(name, unit, description, pool => [new(read(pool), pool._pool)]);

        Gauge(MetricNames.Threads, "{thread}", "Threads alive.", static set => set.Existing);
        Gauge(MetricNames.IdleThreads, "{thread}", "Threads parked.", static set => set.Idle.Count);
        Gauge(MetricNames.BlockedThreads, "{thread}", "Threads whose item is in a managed wait.", static set => set.BlockedCount());
        Gauge(MetricNames.Queued, "{item}", "Items waiting.", static set => set.QueuedCount());
        pools.Gauge<double>(MetricNames.RuntimePoolDelay, "s", "How long work waits in the runtime's pool.",
            static pool => [new(pool._owner.RuntimePoolDelay.TotalSeconds, pool._pool)]);
        Total(MetricNames.Completed, "{item}", "Items completed.", static pool => pool._owner.Set.CompletedCount());
        Total(MetricNames.Wakes, "{wake}", "Times a parked worker was woken to look for work.", static pool => pool._owner.Set.Wakes);
        Total(MetricNames.UselessWakes, "{wake}", "Wakes after which the worker found no work.", static pool => pool._owner.Set.UselessWakes);
        Total(MetricNames.Stalls, "{stall}", "Times a class got threads because none of its items completed.", static pool => pool._owner.Stalls);
        Total(MetricNames.Throttles, "{throttle}", "Times a thread start waited for the table of DatabaseCompatible.", static pool => pool._owner.Throttles);
        Total(MetricNames.Steals, "{item}", "Items taken from another worker's queue.", static pool => pool._owner.Set.Steals.Value);
        Total(MetricNames.Borrows, "{item}", "Items with a route that a worker of another group took.", static pool => pool._owner.Set.Borrows.Value);
        Total(MetricNames.HeldBack, "{item}", "Items of open transactions that waited with new work.", static pool => pool._owner.Set.HeldBack.Count);
        Total(MetricNames.KickUps, "{item}", "Held-back items that went first after PriorityKickUp.", static pool => pool._owner.Set.HeldBack.KickUps);
        pools.Total(MetricNames.Waits, "{wait}", "Waits of items, by what they waited for.", Waits);
        pools.Gauge(MetricNames.Starved, "{item}", "Items that have waited longer than PriorityKickUp.", Starved);
        pools.Gauge(MetricNames.QueueWait, "s", "How long items wait, by priority.", LongWaits);
        pools.Gauge(MetricNames.GroupQueued, "{item}", "Items that wait for a group of threads.", OfGroups);
    }

    private static IEnumerable<Measurement<long>> Waits(PoolMetrics pool) =>
        AdaptiveThreadPool.WaitsOf(pool._owner.Set.Blockers).Select(wait => new Measurement<long>(wait.Value, pool._pool, new("reason", wait.Key)));

    private static IEnumerable<Measurement<long>> Starved(PoolMetrics pool) => pool._owner.Set.Classes.Where(static core => core.Queue.CountsTaken)
        .Select(core => new Measurement<long>(core.Queue.DueCount, pool._pool, new("class", core.Name)));

    private static IEnumerable<Measurement<double>> LongWaits(PoolMetrics pool) =>
        from core in pool._owner.Set.Classes
        from waits in core.Queue.Ages.Tell(QueueAges<RealSync>.Now, static clock => Array.ConvertAll(s_quantiles, clock.Percentile))
        from wait in s_quantiles.Zip(waits.Value)
        select new Measurement<double>(
            wait.Second,
            pool._pool,
            new("class", core.Name),
            new("priority", waits.Key.ToString()),
            new("quantile", wait.First.ToString(CultureInfo.InvariantCulture)));

    private static IEnumerable<Measurement<long>> OfGroups(PoolMetrics pool) => pool._owner.ThreadGroups < 2 ? []
        : Enumerable.Range(0, pool._owner.ThreadGroups)
            .Select(group => new Measurement<long>(pool._owner.Set.QueuedAt(group), pool._pool, new("group", group)));

    // An exception of a listener must not end the thread that counts. It is reported once, because it comes at every count.
    private void Count(Counter<long> counter, params ReadOnlySpan<KeyValuePair<string, object?>> tags)
    {
        try
        {
            counter.Add(1, tags);
        }
        catch (Exception exception)
        {
            if (!Volatile.Read(ref _isReported))
            {
                Volatile.Write(ref _isReported, true);
                _owner.Set.ReportFault(exception);
            }
        }
    }
}
