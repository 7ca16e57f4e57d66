using Microsoft.Extensions.Logging;

namespace AdaptivePool.Yarp;

/// <summary>
/// What the application's log is told on the way of a request. A log throws when one of its providers does, and a request would be answered with an error for a
/// line that was not written. Nobody is told of that: it is the log who would tell.
/// </summary>
internal sealed partial class ProxyLog(ILogger<ClusterBalancer> logger)
{
    public void TellRefused(string cluster, int count, double seconds)
    {
        try
        {
            LogRefused(logger, cluster, count, seconds);
        }
        catch (Exception)
        {
            // The request goes on.
        }
    }

    public void TellListenerFault(Exception fault)
    {
        try
        {
            LogListenerFault(logger, fault);
        }
        catch (Exception)
        {
            // The request goes on.
        }
    }

    [LoggerMessage(
        1,
        LogLevel.Debug,
        "Cluster '{Cluster}' refused a request: all of its {Count} destinations are at their limit. Retry-After is {Seconds} s.",
        EventName = "Refused")]
    private static partial void LogRefused(ILogger logger, string cluster, int count, double seconds);

    [LoggerMessage(
        2, LogLevel.Error, "A meter listener threw when a refused request or a header was counted. This is logged once.", EventName = "ListenerFault")]
    private static partial void LogListenerFault(ILogger logger, Exception exception);
}
