using System.Diagnostics.Metrics;

namespace AdaptivePool.Yarp;

/// <summary>The meter "AdaptivePool.Yarp" of the application's own factory.</summary>
internal sealed class ProxyMetrics : IDisposable
{
    public const string MeterName = "AdaptivePool.Yarp";

    private readonly Meter _meter;
    private readonly Counter<long> _shed;
    private readonly Counter<long> _reports;
    private readonly Counter<long> _forged;
    private readonly ProxyLog _log;
    private int _isFaultTold;

    /// <param name="log">Gets the exception of a listener.</param>
    /// <param name="factory">The factory of the meter. Where the container has none, the meter is created without one.</param>
    public ProxyMetrics(ProxyLog log, IMeterFactory? factory = null)
    {
        _log = log;
        _meter = factory?.Create(MeterName) ?? new Meter(MeterName);
        _shed = _meter.CreateCounter<long>("adaptivepool.proxy.shed", "{request}", "Requests answered with 503 because all destinations were at their limit.");
        _reports = _meter.CreateCounter<long>("adaptivepool.proxy.reports", "{report}",
            "Load reports of destinations, by result: taken, stale, malformed, or unasked from a cluster with another policy.");
        _forged = _meter.CreateCounter<long>("adaptivepool.proxy.forged", "{header}", "Load reports and balancer names that clients sent; they are removed.");
        _meter.CreateObservableCounter(
            "adaptivepool.proxy.admitted", () => Observe(static (_, s) => s.Admitted), "{request}", "Requests sent to a destination.");
        _meter.CreateObservableCounter(
            "adaptivepool.proxy.diverted", () => Observe(static (_, s) => s.Diverted), "{request}",
            "Requests that went elsewhere because a destination was at its limit.");
        _meter.CreateObservableGauge("adaptivepool.proxy.in_flight", () => Observe(static (_, s) => (long)s.InFlight), "{request}",
            "Requests sent to a destination that have not ended.");
        _meter.CreateObservableGauge(
            "adaptivepool.proxy.overload_point",
            () => Observe(static (c, s) => c.PointOf(s)?.PerSecond ?? double.NaN).Where(static m => !double.IsNaN(m.Value)),
            "{request}/s",
            "The rate at which a destination is overloaded; no value while it is not.");
    }

    /// <summary>The destinations of the present configuration that have been candidates, with their clusters.</summary>
    public Func<IEnumerable<(ClusterBalancer Cluster, BackendState Destination)>> Known { get; set; } = static () => [];

    public void CountShed(string cluster) => Count(_shed, Cluster(cluster));

    public void CountReport(string cluster, ReportVerdict verdict) =>
        CountReport(cluster, verdict switch
        {
            ReportVerdict.Taken => "taken",
            ReportVerdict.Stale => "stale",
            _ => "malformed",
        });

    public void CountUnasked(string cluster) => CountReport(cluster, "unasked");

    public void CountForged() => Count(_forged);

    public void Dispose() => _meter.Dispose();

    private void CountReport(string cluster, string verdict) =>
        Count(_reports, Cluster(cluster), new KeyValuePair<string, object?>("verdict", verdict));

    // An exception of a listener must not change how a request ends, nor the state of a destination. It is reported once, because it comes at every count.
    private void Count(Counter<long> counter, params ReadOnlySpan<KeyValuePair<string, object?>> tags)
    {
        try
        {
            counter.Add(1, tags);
        }
        catch (Exception exception)
        {
            if (Interlocked.Exchange(ref _isFaultTold, 1) == 0)
            {
                _log.LogListenerFault(exception);
            }
        }
    }

    private static KeyValuePair<string, object?> Cluster(string cluster) => new("cluster", cluster);

    private IEnumerable<Measurement<T>> Observe<T>(Func<ClusterBalancer, BackendState, T> read)
        where T : struct => Known().Select(known => new Measurement<T>(
            read(known.Cluster, known.Destination), Cluster(known.Cluster.Cluster), new KeyValuePair<string, object?>("destination", known.Destination.Name)));
}
