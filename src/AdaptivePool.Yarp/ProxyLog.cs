using AdaptivePool.Hosting.Logging;

namespace AdaptivePool.Yarp;

/// <summary>Writes log entries during a request.</summary>
internal sealed partial class ProxyLog(ILogger<ClusterBalancer> logger)
{
    private readonly RequestLogger _logger = new(logger);
    private int _isOrderTold;

    /// <summary>Logs once that requests have their destination before they come to the place that would wait for one. This cannot be detected at the
    /// start.</summary>
    public void TellOrder()
    {
        if (Interlocked.Exchange(ref _isOrderTold, 1) == 0)
        {
            LogOrder();
        }
    }

    [LoggerMessage(
        1,
        LogLevel.Debug,
        "Cluster '{Cluster}' refused a request: all of its {Count} destinations are at their limit. Retry-After is {Seconds} s.",
        EventName = "Refused")]
    public partial void LogRefused(string cluster, int count, double seconds);

    [LoggerMessage(
        2, LogLevel.Error, "A meter listener threw when a refused request or a header was counted. This is logged once.", EventName = "ListenerFault")]
    public partial void LogListenerFault(Exception exception);

    [LoggerMessage(
        3,
        LogLevel.Warning,
        "UseAdaptivePoolLoadBalancing() is called after UseLoadBalancing(), which has chosen a destination already. No request waits while all destinations "
            + "are at their limit, and one that meets a dead destination goes to no other one. Call 'proxy.UseAdaptivePoolLoadBalancing()' before "
            + "'proxy.UseLoadBalancing()'.",
        EventName = "Order")]
    private partial void LogOrder();
}
