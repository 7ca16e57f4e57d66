using System.Collections.Concurrent;
using System.Diagnostics.Metrics;

namespace AdaptivePool.Yarp;

/// <summary>The meter "AdaptivePool.Yarp", that of the application's own factory.</summary>
internal sealed class ProxyMetrics : IDisposable
{
    public const string MeterName = "AdaptivePool.Yarp";

    /// <summary>At least so many additions lie between two looks through all names.</summary>
    private const int FewestAdded = 32;

    private readonly Meter _meter;
    private readonly Counter<long> _shed;
    private readonly Counter<long> _reports;
    private readonly Counter<long> _forged;
    private readonly ConcurrentDictionary<(string Cluster, string Destination), WeakReference<BackendState>> _states = new();

    /// <summary>So many additions are left until all names are looked through for those of destinations that have gone. Whoever brings it to zero looks; what
    /// is added meanwhile brings it below.</summary>
    private int _untilSweep = FewestAdded;

    /// <param name="factory">Who makes the meter; a container without one has one of its own.</param>
    public ProxyMetrics(IMeterFactory? factory = null)
    {
        _meter = factory?.Create(MeterName) ?? new Meter(MeterName);
        _shed = _meter.CreateCounter<long>("adaptivepool.proxy.shed", "{request}", "Requests answered with 503 because all destinations were at their limit.");
        _reports = _meter.CreateCounter<long>("adaptivepool.proxy.reports", "{report}",
            "Load reports of destinations, by result: taken, stale, malformed, or unasked from a cluster with another policy.");
        _forged = _meter.CreateCounter<long>("adaptivepool.proxy.forged", "{header}", "Load reports and balancer names that clients sent; they are removed.");
        _meter.CreateObservableCounter("adaptivepool.proxy.admitted", () => Observe(static s => s.Admitted), "{request}", "Requests sent to a destination.");
        _meter.CreateObservableCounter(
            "adaptivepool.proxy.diverted", () => Observe(static s => s.Diverted), "{request}",
            "Requests that went elsewhere because a destination was at its limit.");
        _meter.CreateObservableGauge("adaptivepool.proxy.in_flight", () => Observe(static s => (long)s.InFlight), "{request}",
            "Requests sent to a destination that have not ended.");
        _meter.CreateObservableGauge(
            "adaptivepool.proxy.overload_point",
            () => Observe(static s => s.Point?.PerSecond ?? double.NaN).Where(static m => !double.IsNaN(m.Value)),
            "{request}/s",
            "The rate at which a destination is overloaded; no value while it is not.");
    }

    /// <summary>Destinations whose names are kept.</summary>
    public int Watched => _states.Count;

    /// <summary>Names that additions have looked through, in all.</summary>
    public long Swept { get; private set; }

    public void Watch(string cluster, BackendState state)
    {
        _states[(cluster, state.Name)] = new WeakReference<BackendState>(state);

        // Here as well as where they are read: names may come and go for months where nobody reads. Not each time: with n destinations that would be n times n.
        // Nor is the dictionary asked how many it has: that takes all of its locks.
        if (Interlocked.Decrement(ref _untilSweep) != 0)
        {
            return;
        }

        int kept = 0;
        foreach (KeyValuePair<(string Cluster, string Destination), WeakReference<BackendState>> known in _states)
        {
            Swept++;
            if (known.Value.TryGetTarget(out _))
            {
                kept++;
            }
            else
            {
                _states.TryRemove(known);
            }
        }

        // As many as were kept: an addition looks at two names at most, in the mean.
        Interlocked.Exchange(ref _untilSweep, Math.Max(FewestAdded, kept));
    }

    public void CountShed(string cluster) => _shed.Add(1, Cluster(cluster));

    public void CountReport(string cluster, ReportVerdict verdict) =>
        CountReport(cluster, verdict switch
        {
            ReportVerdict.Taken => "taken",
            ReportVerdict.Stale => "stale",
            _ => "malformed",
        });

    public void CountUnasked(string cluster) => CountReport(cluster, "unasked");

    public void CountForged() => _forged.Add(1);

    public void Dispose() => _meter.Dispose();

    private void CountReport(string cluster, string verdict) =>
        _reports.Add(1, Cluster(cluster), new KeyValuePair<string, object?>("verdict", verdict));

    private static KeyValuePair<string, object?> Cluster(string cluster) => new("cluster", cluster);

    private IEnumerable<Measurement<T>> Observe<T>(Func<BackendState, T> read)
        where T : struct
    {
        foreach (((string cluster, string destination), WeakReference<BackendState> reference) in _states)
        {
            if (reference.TryGetTarget(out BackendState? state))
            {
                yield return new Measurement<T>(read(state), Cluster(cluster), new KeyValuePair<string, object?>("destination", destination));
            }
            else
            {
                // Its destination was taken out of the configuration.
                _states.TryRemove(new((cluster, destination), reference));
            }
        }
    }
}
