using System.Globalization;
using AdaptivePool.Balancing;
using AdaptivePool.Balancing.Overload;
using AdaptivePool.Hosting.Logging;

namespace AdaptivePool.Hosting.Load;

/// <summary>The backend's meter, monitor and agent.</summary>
internal sealed partial class LoadReporter : IDisposable
{
    /// <summary>A longer name cannot be a configured name.</summary>
    private const int LongestName = 100;

    // Copies: a later change of the options would end reports, and never start any.
    private readonly string[] _balancers;
    private readonly bool _isOrca;
    private readonly LoadAgent? _agent;
    private readonly ILogger _logger;
    private int _isStrangerLogged;

    public LoadReporter(IOptions<LoadReportingOptions> options, ILogger<OverloadMonitor> logger, TimeProvider? clock = null)
    {
        LoadReportingOptions settings = options.Value;
        (_balancers, _isOrca, _logger) = ([.. settings.Balancers], settings.Orca, new RequestLogger(logger));
        clock ??= TimeProvider.System;
        Meter = new QueueMeter(clock);
        BalancerShares? shares = _balancers.Length > 0 ? new BalancerShares(_balancers) : null;
        IOverloadPolicy policy = settings.Rule == OverloadRule.Growth
            ? new GrowthOverloadPolicy() : new TargetOverloadPolicy(new() { Target = settings.WaitTarget });

        // The number of this process's run, by which a balancer distinguishes its reports from those of the previous run. It is taken from the date: a time
        // stamp starts again with the machine, so the next run would look like an earlier one. After the clock was set back it does look like one, until the
        // balancer has forgotten the previous run, as it forgets every backend that has not reported for long.
        var run = Math.Max(0, clock.GetUtcNow().ToUnixTimeMilliseconds());
        Monitor = new OverloadMonitor(Meter, policy, run, shares);
        Monitor.Faulted += (_, exception) => LogFault(logger, exception);
        try
        {
            var most = settings.AgentMaxConnections;
            _agent = settings.AgentPort is { } port ? new LoadAgent(settings.AgentAddress, port, () => Monitor.AgentLine(most)) : null;
        }
        catch
        {
            // No other code can end the monitor's thread.
            Monitor.Dispose();
            throw;
        }
    }

    public QueueMeter Meter { get; }

    public OverloadMonitor Monitor { get; }

    /// <summary>Whether a balancer of this name gets the load with the response. Counts the request for that balancer.</summary>
    public bool MayTell(string? balancer)
    {
        if (_balancers.Length > 0 && Monitor.Count(balancer))
        {
            return true;
        }

        // Logged once, because any client can send the header. Balancers have no names with other characters, so those are not logged.
        if (balancer?.Length <= LongestName && LoadReport.IsBalancerName(balancer) && Interlocked.Exchange(ref _isStrangerLogged, 1) == 0)
        {
            LogStranger(_logger, balancer, _balancers.Length > 0 ? string.Join(", ", _balancers) : "no balancer");
        }

        return false;
    }

    /// <summary>The header that Envoy and gRPC read; null when it is not wanted, or no value is known.</summary>
    public string? Orca() => _isOrca && Monitor.MostInFlight is { } most && (double)Meter.InFlight / most is var used and not double.NaN
        ? string.Create(CultureInfo.InvariantCulture, $"TEXT application_utilization={used:0.####}")
        : null;

    public void Dispose()
    {
        _agent?.Dispose();
        Monitor.Dispose();
    }

    [LoggerMessage(2, LogLevel.Error, "A look at the load failed. Balancers are told the overload point that was found last.", EventName = "LoadFault")]
    private static partial void LogFault(ILogger logger, Exception exception);

    [LoggerMessage(
        3,
        LogLevel.Warning,
        "A request of the balancer '{Balancer}' arrived, which gets no load reports: LoadReporting's Balancers contains {Known}. Names are case-sensitive. "
            + "If it is to get them, call 'options.Balancers.Add(\"{Balancer}\")'. Further names are not reported.",
        EventName = "UnknownBalancer")]
    private static partial void LogStranger(ILogger logger, string balancer, string known);
}
