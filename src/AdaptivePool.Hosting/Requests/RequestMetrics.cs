using System.Diagnostics.Metrics;
using AdaptivePool.Diagnostics;

namespace AdaptivePool.Hosting.Requests;

/// <summary>Counts requests for collectors, in the meter of the pools.</summary>
/// <param name="factory">The factory that makes the meter; null if the container has none: then the class makes the meter itself.</param>
internal sealed class RequestMetrics(IMeterFactory? factory = null)
{
    private readonly Counter<long> _dropped = (factory?.Create(MetricNames.Meter) ?? new Meter(MetricNames.Meter))
        .CreateCounter<long>(MetricNames.DroppedRequests, "{request}", "Requests that were aborted while they waited for a worker.");

    /// <summary>A request was not run, because it had been aborted. Costs nothing while no collector listens.</summary>
    public void CountDropped(WorkClass? workClass)
    {
        if (_dropped.Enabled && workClass is not null)
        {
            _dropped.Add(1, new("pool", workClass.Pool.Name), new("class", workClass.Name));
        }
    }
}
