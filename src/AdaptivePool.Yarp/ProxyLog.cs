using AdaptivePool.Hosting.Logging;

namespace AdaptivePool.Yarp;

/// <summary>What the application's log is told on the way of a request.</summary>
internal sealed partial class ProxyLog(ILogger<ClusterBalancer> logger)
{
    private readonly RequestLogger _logger = new(logger);

    [LoggerMessage(
        1,
        LogLevel.Debug,
        "Cluster '{Cluster}' refused a request: all of its {Count} destinations are at their limit. Retry-After is {Seconds} s.",
        EventName = "Refused")]
    public partial void LogRefused(string cluster, int count, double seconds);

    [LoggerMessage(
        2, LogLevel.Error, "A meter listener threw when a refused request or a header was counted. This is logged once.", EventName = "ListenerFault")]
    public partial void LogListenerFault(Exception exception);
}
