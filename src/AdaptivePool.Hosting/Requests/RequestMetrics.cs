using System.Diagnostics.Metrics;
using AdaptivePool.Diagnostics;

namespace AdaptivePool.Hosting.Requests;

/// <summary>What requests are counted for collectors, in the meter of the pools.</summary>
/// <param name="factory">Who makes the meter; a container without one has one of its own.</param>
internal sealed class RequestMetrics(IMeterFactory? factory = null)
{
    private readonly Counter<long> _dropped = (factory?.Create(MetricNames.Meter) ?? new Meter(MetricNames.Meter))
        .CreateCounter<long>(MetricNames.DroppedRequests, "{request}", "Requests that were aborted while they waited for a worker.");

    /// <summary>A request was not run, because it had been aborted. Costs nothing while nobody collects.</summary>
    public void CountDropped(WorkClass? workClass)
    {
        if (_dropped.Enabled && workClass is not null)
        {
            _dropped.Add(1, new("pool", workClass.Pool.Name), new("class", workClass.Name));
        }
    }
}
