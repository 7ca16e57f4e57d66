using System.Globalization;
using AdaptivePool.Balancing;
using AdaptivePool.Balancing.Overload;
using Microsoft.Extensions.Options;

namespace AdaptivePool.Hosting.Load;

/// <summary>The backend's meter, monitor and agent.</summary>
internal sealed class LoadReporter : IDisposable
{
    private readonly LoadReportingOptions _options;
    private readonly LoadAgent? _agent;

    public LoadReporter(IOptions<LoadReportingOptions> options, TimeProvider? clock = null)
    {
        _options = options.Value;
        clock ??= TimeProvider.System;
        Meter = new QueueMeter(clock);
        BalancerShares? shares = _options.Balancers.Count > 0 ? new BalancerShares(_options.Balancers) : null;
        IOverloadPolicy policy = _options.Rule == OverloadRule.Growth ? new GrowthOverloadPolicy() : new TargetOverloadPolicy(_options.ToTarget());
        Monitor = new OverloadMonitor(Meter, policy, RunNumber.Create(clock), shares);
        _agent = _options.AgentPort is { } port ? new LoadAgent(_options.AgentAddress, port, () => Monitor.AgentLine(_options.AgentMaxConnections)) : null;
    }

    public QueueMeter Meter { get; }

    public OverloadMonitor Monitor { get; }

    /// <summary>Whether a balancer of this name is answered with the load. Counts the request as its.</summary>
    public bool MayTell(string? balancer) => _options.Balancers.Count > 0 && Monitor.Count(balancer);

    /// <summary>The header that Envoy and gRPC read; null when it is not wanted, or nothing is known.</summary>
    public string? Orca()
    {
        if (!_options.Orca)
        {
            return null;
        }

        double utilization = Monitor.MostInFlight is { } most ? (double)Meter.InFlight / most : double.NaN;
        return double.IsNaN(utilization) ? null : string.Create(CultureInfo.InvariantCulture, $"TEXT application_utilization={utilization:0.####}");
    }

    public void Dispose()
    {
        _agent?.Dispose();
        Monitor.Dispose();
    }
}
