using System.Diagnostics.Metrics;
using AdaptivePool.Control;
using AdaptivePool.Dispatch;

namespace AdaptivePool.Diagnostics;

/// <summary>
/// What a pool counts for collectors. One meter serves all pools of the process; a tag tells them apart. Gauges are read when a collector asks, and cost
/// nothing otherwise.
/// </summary>
internal sealed class PoolMetrics : IDisposable
{
    private static readonly Lock s_registry = new();
    private static readonly Meter s_meter = new(MetricNames.Meter);
    private static readonly Counter<long> s_decisions = s_meter.CreateCounter<long>(MetricNames.Decisions, "{decision}", "Decisions about a size, by reason.");
    private static readonly Counter<long> s_deadlocks =
        s_meter.CreateCounter<long>(MetricNames.Deadlocks, "{deadlock}", "Times the pool was found deadlocked.");
    private static readonly Counter<long> s_refused = s_meter.CreateCounter<long>(MetricNames.Refused, "{item}", "Items that were not run, by reason.");
    private static readonly Counter<long> s_guests =
        s_meter.CreateCounter<long>(MetricNames.GuestDecisions, "{decision}", "Decisions whether requests of a class run where the server put them.");
    private static readonly string[] s_reasons = Enum.GetNames<DecisionReason>();
    private static PoolMetrics[] s_pools = [];
    private readonly string _poolName;
    private readonly WorkerSet _set;
    private readonly Func<TimeSpan> _runtimePoolDelay;
    private readonly KeyValuePair<string, object?> _pool;
    private bool _isReported;

    static PoolMetrics()
    {
        Observe(MetricNames.Threads, "{thread}", "Threads alive.", static set => set.Existing);
        Observe(MetricNames.IdleThreads, "{thread}", "Threads parked.", static set => set.Idle.Count);
        Observe(MetricNames.BlockedThreads, "{thread}", "Threads whose item stands in a managed wait.", static set => set.BlockedCount());
        Observe(MetricNames.Queued, "{item}", "Items waiting.", static set => set.QueuedCount());
        s_meter.CreateObservableGauge(
            MetricNames.RuntimePoolDelay,
            static () => Volatile.Read(ref s_pools).Select(static pool => new Measurement<double>(pool._runtimePoolDelay().TotalSeconds, pool._pool)).ToArray(),
            "s",
            "How long work waits in the runtime's pool.");
        s_meter.CreateObservableCounter(MetricNames.Completed, () => Read(static set => set.CompletedCount()), "{item}", "Items completed.");
        s_meter.CreateObservableCounter(MetricNames.Wakes, () => Read(static set => set.Wakes), "{wake}", "Times a parked worker was woken to look for work.");
        s_meter.CreateObservableCounter(
            MetricNames.UselessWakes, () => Read(static set => set.UselessWakes), "{wake}", "Wakes after which the worker found nothing.");
    }

    /// <param name="poolName">Name of the pool.</param>
    /// <param name="set">Its workers.</param>
    /// <param name="runtimePoolDelay">How long work waits in the runtime's pool.</param>
    public PoolMetrics(string poolName, WorkerSet set, Func<TimeSpan> runtimePoolDelay)
    {
        _runtimePoolDelay = runtimePoolDelay;
        _poolName = poolName;
        _set = set;
        _pool = new("pool", poolName);
        lock (s_registry)
        {
            Volatile.Write(ref s_pools, [.. s_pools, this]);
        }
    }

    /// <summary>Counts a decision. Costs nothing while nobody collects. The sizing thread only.</summary>
    /// <param name="trace">The decision.</param>
    public void Count(ControllerTrace trace)
    {
        if (!s_decisions.Enabled)
        {
            return;
        }

        try
        {
            s_decisions.Add(1, new("pool", _poolName), new("class", trace.ClassName), new("reason", s_reasons[(int)trace.Reason]));
        }
        catch (Exception exception)
        {
            Report(exception);
        }
    }

    /// <summary>Counts a verdict.</summary>
    /// <param name="isDeadlocked">Whether it begins.</param>
    public void CountDeadlock(bool isDeadlocked)
    {
        if (!isDeadlocked)
        {
            return;
        }

        try
        {
            s_deadlocks.Add(1, _pool);
        }
        catch (Exception exception)
        {
            Report(exception);
        }
    }

    /// <summary>Counts an item that was not run. Costs nothing while nobody collects.</summary>
    /// <param name="className">Its class.</param>
    /// <param name="reason">Why.</param>
    public void CountRefusal(string className, string reason)
    {
        if (!s_refused.Enabled)
        {
            return;
        }

        try
        {
            s_refused.Add(1, _pool, new("class", className), new("reason", reason));
        }
        catch (Exception exception)
        {
            Report(exception);
        }
    }

    /// <summary>Counts that requests of a class run where the server put them from now on, or no longer.</summary>
    /// <param name="className">The class.</param>
    /// <param name="areGuests">Whether they do.</param>
    public void CountGuests(string className, bool areGuests)
    {
        try
        {
            s_guests.Add(1, _pool, new("class", className), new("guests", areGuests));
        }
        catch (Exception exception)
        {
            Report(exception);
        }
    }

    // A listener's mistake must not end the thread that counts; once, because it makes it at every count.
    private void Report(Exception exception)
    {
        if (!Volatile.Read(ref _isReported))
        {
            Volatile.Write(ref _isReported, true);
            _set.ReportFault(exception);
        }
    }

    /// <summary>Takes the pool out of the gauges.</summary>
    public void Dispose()
    {
        lock (s_registry)
        {
            Volatile.Write(ref s_pools, [.. s_pools.Where(pool => !ReferenceEquals(pool, this))]);
        }
    }

    private static void Observe(string name, string unit, string description, Func<WorkerSet, long> read) =>
        s_meter.CreateObservableGauge(name, () => Read(read), unit, description);

    private static IEnumerable<Measurement<long>> Read(Func<WorkerSet, long> read) =>
        Volatile.Read(ref s_pools).Select(pool => new Measurement<long>(read(pool._set), pool._pool)).ToArray();
}
