using System.Diagnostics.Metrics;

namespace AdaptivePool.Diagnostics;

/// <summary>The metrics of an adaptive gate, in the meter of the pools. A tag distinguishes the gates.</summary>
internal sealed class GateMetrics : IDisposable
{
    private static readonly string[] s_reasons = Enum.GetNames<DecisionReason>();
    private readonly MeterMembers<GateMetrics> _gates;
    private readonly Counter<long> _decisions;
    private readonly Func<(int Limit, int Wanted, int Queued)> _read;
    private KeyValuePair<string, object?> _gate;

    public GateMetrics(string name, Func<(int Limit, int Wanted, int Queued)> read, IMeterFactory? factory)
    {
        _read = read;
        _gates = MeterMembers<GateMetrics>.Of(factory, static gate => (string)gate._gate.Value!, Observe);
        _decisions = _gates.Meter.CreateCounter<long>(MetricNames.GateDecisions, "{decision}", "Decisions about a gate's limit, by reason.");
        _gates.Add(this, name, unique => _gate = new("gate", unique));
    }

    /// <summary>Counts a decision.</summary>
    /// <param name="reason">The reason.</param>
    /// <param name="isApplied">Whether the limit was changed.</param>
    public void Count(DecisionReason reason, bool isApplied) => _decisions.Add(1, _gate, new("reason", s_reasons[(int)reason]), new("applied", isApplied));

    /// <summary>Takes the gate out of the gauges.</summary>
    public void Dispose() => _gates.Remove(this);

    private static void Observe(MeterMembers<GateMetrics> gates)
    {
        void Gauge(string name, string description, Func<GateMetrics, long> read) =>
            gates.Gauge<long>(name, "{transaction}", description, gate => [new(read(gate), gate._gate)]);
        Gauge(MetricNames.GateLimit, "Limit in force; 0 for none.", static gate => gate._read().Limit);
        Gauge(MetricNames.GateWantedLimit, "Limit that the gate wants.", static gate => gate._read().Wanted);
        Gauge(MetricNames.GateQueued, "Transactions waiting.", static gate => gate._read().Queued);
    }
}
