using System.Diagnostics.Metrics;
using AdaptivePool.Control;

namespace AdaptivePool.Diagnostics;

/// <summary>What a pool counts for collectors. One meter serves all pools of the process; a tag tells them apart.</summary>
internal sealed class PoolMetrics(string poolName)
{
    private static readonly Meter s_meter = new(MetricNames.Meter);
    private static readonly Counter<long> s_decisions = s_meter.CreateCounter<long>(MetricNames.Decisions, "{decision}", "Decisions about a size, by reason.");
    private static readonly string[] s_reasons = Enum.GetNames<DecisionReason>();

    /// <summary>Counts a decision. Costs nothing while nobody collects.</summary>
    /// <param name="trace">The decision.</param>
    public void Count(ControllerTrace trace)
    {
        if (s_decisions.Enabled)
        {
            s_decisions.Add(1, new("pool", poolName), new("class", trace.ClassName), new("reason", s_reasons[(int)trace.Reason]));
        }
    }
}
