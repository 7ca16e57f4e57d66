using System.Diagnostics.Metrics;
using AdaptivePool.Control;

namespace AdaptivePool.Diagnostics;

/// <summary>
/// What an adaptive gate counts for collectors, in the meter of the pools; a tag tells gates apart. Gauges are read when a collector asks, and cost nothing
/// otherwise.
/// </summary>
internal sealed class GateMetrics : IDisposable
{
    private static readonly Lock s_registry = new();
    private static readonly Meter s_meter = new(MetricNames.Meter);
    private static readonly Counter<long> s_decisions =
        s_meter.CreateCounter<long>(MetricNames.GateDecisions, "{decision}", "Decisions about a gate's limit, by reason.");
    private static readonly string[] s_reasons = Enum.GetNames<DecisionReason>();
    private static GateMetrics[] s_gates = [];
    private readonly Func<int> _limit;
    private readonly Func<int> _wanted;
    private readonly Func<long> _queued;
    private readonly KeyValuePair<string, object?> _gate;

    static GateMetrics()
    {
        Observe(MetricNames.GateLimit, "Limit in force; 0 for none.", static gate => gate._limit());
        Observe(MetricNames.GateWantedLimit, "Limit that the gate wants.", static gate => gate._wanted());
        Observe(MetricNames.GateQueued, "Transactions waiting.", static gate => gate._queued());
    }

    public GateMetrics(string name, Func<int> limit, Func<int> wanted, Func<long> queued)
    {
        _limit = limit;
        _wanted = wanted;
        _queued = queued;
        _gate = new("gate", name);
        lock (s_registry)
        {
            Volatile.Write(ref s_gates, [.. s_gates, this]);
        }
    }

    /// <summary>Counts a decision. Costs nothing while nobody collects.</summary>
    /// <param name="reason">Why.</param>
    /// <param name="isApplied">Whether the limit was changed.</param>
    public void Count(DecisionReason reason, bool isApplied)
    {
        if (s_decisions.Enabled)
        {
            s_decisions.Add(1, _gate, new("reason", s_reasons[(int)reason]), new("applied", isApplied));
        }
    }

    /// <summary>Takes the gate out of the gauges.</summary>
    public void Dispose()
    {
        lock (s_registry)
        {
            Volatile.Write(ref s_gates, [.. s_gates.Where(gate => !ReferenceEquals(gate, this))]);
        }
    }

    private static void Observe(string name, string description, Func<GateMetrics, long> read) => s_meter.CreateObservableGauge(
        name, () => Volatile.Read(ref s_gates).Select(gate => new Measurement<long>(read(gate), gate._gate)).ToArray(), "{transaction}", description);
}
