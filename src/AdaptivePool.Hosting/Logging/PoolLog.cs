using System.Runtime.CompilerServices;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;

namespace AdaptivePool.Hosting.Logging;

/// <summary>Writes what pools tell about themselves to the application's log, under the name of the pool's type.</summary>
internal sealed partial class PoolLog
{
    private readonly ConditionalWeakTable<AdaptiveThreadPool, object> _followed = [];
    private readonly ILogger _logger;

    public PoolLog(IServiceProvider services) => _logger = services.GetService<ILogger<AdaptiveThreadPool>>() ?? (ILogger)NullLogger.Instance;

    /// <summary>Follows a pool. Doing it again changes nothing.</summary>
    /// <returns>The pool.</returns>
    public AdaptiveThreadPool Follow(AdaptiveThreadPool pool)
    {
        if (!_followed.TryAdd(pool, _logger))
        {
            return pool;
        }

        pool.Faulted += (_, fault) => LogFault(_logger, pool.Name, fault.Exception);
        pool.BlockingReported += (_, blocking) => LogBlocking(_logger, pool.Name, blocking.Report.Message);
        pool.BlockingFound += (_, found) => LogFinding(_logger, pool.Name, found.Message);
        pool.DeadlockChanged += (_, deadlock) =>
        {
            if (deadlock.IsDeadlocked)
            {
                LogDeadlock(_logger, pool.Name, deadlock.Report.Message);
            }
            else
            {
                LogDeadlockEnd(_logger, pool.Name, deadlock.Report.Message);
            }
        };

        // Last: what happened before is told at once.
        pool.Warned += (_, warning) => LogWarning(_logger, pool.Name, warning.Message);
        return pool;
    }

    [LoggerMessage(4, LogLevel.Error, "A work item of pool '{PoolName}' ended with an exception that nobody observes.", EventName = "Fault")]
    private static partial void LogFault(ILogger logger, string poolName, Exception exception);

    [LoggerMessage(5, LogLevel.Warning, "Pool '{PoolName}': {Message}", EventName = "Warning")]
    private static partial void LogWarning(ILogger logger, string poolName, string message);

    [LoggerMessage(6, LogLevel.Warning, "Pool '{PoolName}': {Message}", EventName = "Blocking")]
    private static partial void LogBlocking(ILogger logger, string poolName, string message);

    [LoggerMessage(7, LogLevel.Critical, "Pool '{PoolName}': {Message}", EventName = "Deadlock")]
    private static partial void LogDeadlock(ILogger logger, string poolName, string message);

    [LoggerMessage(8, LogLevel.Warning, "Pool '{PoolName}': {Message}", EventName = "DeadlockEnd")]
    private static partial void LogDeadlockEnd(ILogger logger, string poolName, string message);

    [LoggerMessage(9, LogLevel.Warning, "Pool '{PoolName}': {Message}", EventName = "BlockingFound")]
    private static partial void LogFinding(ILogger logger, string poolName, string message);
}
