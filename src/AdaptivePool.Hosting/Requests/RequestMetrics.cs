using System.Diagnostics.Metrics;
using AdaptivePool.Diagnostics;

namespace AdaptivePool.Hosting.Requests;

/// <summary>What requests are counted for collectors, in the meter of the pools.</summary>
internal static class RequestMetrics
{
    private static readonly Meter s_meter = new(MetricNames.Meter);
    private static readonly Counter<long> s_dropped =
        s_meter.CreateCounter<long>(MetricNames.DroppedRequests, "{request}", "Requests whose client had gone before their turn came.");

    /// <summary>A request was not run, because its client had gone. Costs nothing while nobody collects.</summary>
    public static void CountDropped(WorkClass? workClass)
    {
        if (s_dropped.Enabled && workClass is not null)
        {
            s_dropped.Add(1, new("pool", workClass.Pool.Name), new("class", workClass.Name));
        }
    }
}
