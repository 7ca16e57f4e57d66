using System.Diagnostics.Metrics;
using AdaptivePool.Control;
using AdaptivePool.Dispatch;

namespace AdaptivePool.Diagnostics;

/// <summary>What a pool counts for collectors. One meter serves all pools of the process, or of a meter factory; a tag tells them apart.</summary>
internal sealed class PoolMetrics : IDisposable
{
    private static readonly string[] s_reasons = Enum.GetNames<DecisionReason>();
    private readonly MeterMembers<PoolMetrics> _pools;
    private readonly Counter<long> _decisions;
    private readonly Counter<long> _deadlocks;
    private readonly Counter<long> _refused;
    private readonly Counter<long> _guests;
    private readonly WorkerSet _set;
    private readonly AdaptiveThreadPool _owner;
    private readonly KeyValuePair<string, object?> _pool;
    private bool _isReported;

    /// <param name="poolName">Name of the pool.</param>
    /// <param name="set">Its workers.</param>
    /// <param name="owner">The pool.</param>
    /// <param name="factory">Who makes the meter; <see langword="null"/> for the one of the process.</param>
    public PoolMetrics(string poolName, WorkerSet set, AdaptiveThreadPool owner, IMeterFactory? factory = null)
    {
        _owner = owner;
        _set = set;
        _pool = new("pool", poolName);
        _pools = MeterMembers<PoolMetrics>.Of(factory, static pool => (string)pool._pool.Value!, Observe);

        // A meter that has a counter of this name gives that.
        Meter meter = _pools.Meter;
        _decisions = meter.CreateCounter<long>(MetricNames.Decisions, "{decision}", "Decisions about a size, by reason.");
        _deadlocks = meter.CreateCounter<long>(MetricNames.Deadlocks, "{deadlock}", "Times the pool was found deadlocked.");
        _refused = meter.CreateCounter<long>(MetricNames.Refused, "{item}", "Items that were not run, by reason.");
        _guests = meter.CreateCounter<long>(MetricNames.GuestDecisions, "{decision}", "Decisions whether requests of a class run where the server put them.");
        _pools.Add(this);
    }

    /// <summary>Counts a decision.</summary>
    /// <param name="trace">The decision.</param>
    public void Count(ControllerTrace trace) => Count(_decisions, _pool, new("class", trace.ClassName), new("reason", s_reasons[(int)trace.Reason]));

    /// <summary>Counts that the pool was found deadlocked.</summary>
    public void CountDeadlock() => Count(_deadlocks, _pool);

    /// <summary>Counts an item that was not run.</summary>
    /// <param name="className">Its class.</param>
    /// <param name="reason">Why.</param>
    public void CountRefusal(string className, string reason) => Count(_refused, _pool, new("class", className), new("reason", reason));

    /// <summary>Counts that requests of a class run where the server put them from now on, or no longer.</summary>
    /// <param name="className">The class.</param>
    /// <param name="areGuests">Whether they do.</param>
    public void CountGuests(string className, bool areGuests) => Count(_guests, _pool, new("class", className), new("guests", areGuests));

    /// <summary>Takes the pool out of the gauges.</summary>
    public void Dispose() => _pools.Remove(this);

    private static void Observe(MeterMembers<PoolMetrics> pools)
    {
        Meter meter = pools.Meter;
        Func<IEnumerable<Measurement<long>>> Of(Func<WorkerSet, long> read) => pools.Read(pool => new Measurement<long>(read(pool._set), pool._pool));
        Func<IEnumerable<Measurement<long>>> Total(Func<WorkerSet, long> read) =>
            pools.ReadTotal(pool => new Measurement<long>(read(pool._set), pool._pool));
        meter.CreateObservableGauge(MetricNames.Threads, Of(static set => set.Existing), "{thread}", "Threads alive.");
        meter.CreateObservableGauge(MetricNames.IdleThreads, Of(static set => set.Idle.Count), "{thread}", "Threads parked.");
        meter.CreateObservableGauge(
            MetricNames.BlockedThreads, Of(static set => set.BlockedCount()), "{thread}", "Threads whose item stands in a managed wait.");
        meter.CreateObservableGauge(MetricNames.Queued, Of(static set => set.QueuedCount()), "{item}", "Items waiting.");
        meter.CreateObservableGauge(MetricNames.RuntimePoolDelay,
            pools.Read(static pool => new Measurement<double>(pool._owner.RuntimePoolDelay.TotalSeconds, pool._pool)), "s",
            "How long work waits in the runtime's pool.");
        meter.CreateObservableCounter(MetricNames.Completed, Total(static set => set.CompletedCount()), "{item}", "Items completed.");
        meter.CreateObservableCounter(MetricNames.Wakes, Total(static set => set.Wakes), "{wake}", "Times a parked worker was woken to look for work.");
        meter.CreateObservableCounter(
            MetricNames.UselessWakes, Total(static set => set.UselessWakes), "{wake}", "Wakes after which the worker found nothing.");
        meter.CreateObservableCounter(MetricNames.Stalls, pools.ReadTotal(static pool => new Measurement<long>(pool._owner.Stalls, pool._pool)),
            "{stall}", "Times a class got threads because nothing of it completed.");
        meter.CreateObservableCounter(MetricNames.Throttles, pools.ReadTotal(static pool => new Measurement<long>(pool._owner.Throttles, pool._pool)),
            "{throttle}", "Times a thread start had to wait for the table.");
        meter.CreateObservableCounter(MetricNames.Steals, Total(static set => set.Steals()), "{item}", "Items taken from another worker's queue.");
        meter.CreateObservableCounter(MetricNames.Borrows, Total(static set => set.Borrows()), "{item}", "Items taken from another group's route.");
        meter.CreateObservableCounter(
            MetricNames.HeldBack, Total(static set => set.HeldBack.Count), "{item}", "Items of open transactions that waited with new work.");
        meter.CreateObservableCounter(MetricNames.KickUps, Total(static set => set.HeldBack.KickUps), "{item}", "Those that waited too long there.");
        meter.CreateObservableCounter(
            MetricNames.Waits, pools.ReadTotals(static pool => QueueMetrics.Waits(pool._owner)), "{wait}", "Waits of items, by what they waited for.");
        meter.CreateObservableGauge(
            MetricNames.Starved, pools.ReadMany(static pool => QueueMetrics.Starved(pool._owner)), "{item}", "Items that wait longer than the kick-up.");
        meter.CreateObservableGauge(
            MetricNames.QueueWait, pools.ReadMany(static pool => QueueMetrics.LongWaits(pool._owner)), "s", "How long items wait, by priority.");
        meter.CreateObservableGauge(
            MetricNames.GroupQueued, pools.ReadMany(static pool => QueueMetrics.OfGroups(pool._owner)), "{item}", "Items that wait for a group of threads.");
    }

    // A listener's mistake must not end the thread that counts; told once, because it makes it at every count.
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
                _set.ReportFault(exception);
            }
        }
    }
}
