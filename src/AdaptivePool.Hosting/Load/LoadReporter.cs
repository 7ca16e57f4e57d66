using System.Globalization;
using AdaptivePool.Balancing;
using AdaptivePool.Balancing.Overload;
using AdaptivePool.Hosting.Logging;

namespace AdaptivePool.Hosting.Load;

/// <summary>The backend's meter, monitor and agent.</summary>
internal sealed partial class LoadReporter : IDisposable
{
    /// <summary>A longer name is no name that somebody has written down.</summary>
    private const int LongestName = 100;

    // Copies: what is altered later would end reports, and never begin any.
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

        // The number of this process's run, by which a balancer tells its reports from those of the run before. By the date: a time stamp begins anew with the
        // machine, and the next run would be taken for an earlier one. Where the clock was set back it is, until the balancer has forgotten the run before, as
        // it forgets every backend that it has not heard of for long.
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
            // Nobody else can end its thread.
            Monitor.Dispose();
            throw;
        }
    }

    public QueueMeter Meter { get; }

    public OverloadMonitor Monitor { get; }

    /// <summary>Whether a balancer of this name is answered with the load. Counts the request as its.</summary>
    public bool MayTell(string? balancer)
    {
        if (_balancers.Length > 0 && Monitor.Count(balancer))
        {
            return true;
        }

        // Once: any client can send the header. Balancers have no names of other characters, and the log is spared them.
        if (balancer?.Length <= LongestName && LoadReport.IsBalancerName(balancer) && Interlocked.Exchange(ref _isStrangerLogged, 1) == 0)
        {
            LogStranger(_logger, balancer, _balancers.Length > 0 ? string.Join(", ", _balancers) : "no balancer");
        }

        return false;
    }

    /// <summary>The header that Envoy and gRPC read; null when it is not wanted, or nothing is known.</summary>
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
