using System.Runtime.CompilerServices;
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

        pool.Faulted += (_, exception) => LogFault(_logger, pool.Name, exception);
        pool.BlockingReported += (_, blocking) => LogBlocking(_logger, pool.Name, blocking.Message);
        pool.RuntimePoolStarved += (_, message) => LogRuntimePool(_logger, pool.Name, message);
        pool.BlockingFound += (_, found) => LogFinding(_logger, pool.Name, found.Where, found.ClassName);
        pool.GuestsChanged += (_, change) =>
        {
            if (change.HasGuests)
            {
                LogGuests(_logger, pool.Name, change.Name, change.GuestReason);
            }
            else
            {
                LogTakenIn(_logger, pool.Name, change.Name, change.GuestReason);
            }
        };
        pool.DeadlockChanged += (_, deadlock) =>
        {
            if (deadlock.IsDeadlocked)
            {
                LogDeadlock(_logger, pool.Name, deadlock.Message);
            }
            else
            {
                LogDeadlockEnd(_logger, pool.Name, deadlock.Message);
            }
        };

        // Last: what happened before is told at once.
        pool.Warned += (_, message) => LogWarning(_logger, pool.Name, message);
        return pool;
    }

    /// <summary>Requests or hubs use a pool for the first time.</summary>
    public void InUse(AdaptiveThreadPool pool) => LogInUse(_logger, pool.Name);

    /// <summary>The application does not bring its requests to the pool.</summary>
    public void NoMiddleware() => LogNoMiddleware(_logger);

    /// <summary>Endpoints name more classes than there may be.</summary>
    public void Overflow(string poolName, int maxClasses, string key) => LogOverflow(_logger, poolName, maxClasses, key);

    [LoggerMessage(1, LogLevel.Information, "Requests run on AdaptivePool '{PoolName}'.", EventName = "Enabled")]
    private static partial void LogInUse(ILogger logger, string poolName);

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

    [LoggerMessage(14, LogLevel.Warning, "Pool '{PoolName}': {Message}", EventName = "RuntimePoolStarved")]
    private static partial void LogRuntimePool(ILogger logger, string poolName, string message);

    [LoggerMessage(9, LogLevel.Warning, "Pool '{PoolName}': {Where} blocks a worker of class '{Class}', which must not block", EventName = "BlockingFound")]
    private static partial void LogFinding(ILogger logger, string poolName, string where, string @class);

    [LoggerMessage(
        17, LogLevel.Debug, "Pool '{PoolName}': requests of class '{Class}' run where the server puts them: {Reason}.", EventName = "Guests")]
    private static partial void LogGuests(ILogger logger, string poolName, string @class, string reason);

    [LoggerMessage(
        18, LogLevel.Information, "Pool '{PoolName}': requests of class '{Class}' run on workers from now on: {Reason}.", EventName = "TakenIn")]
    private static partial void LogTakenIn(ILogger logger, string poolName, string @class, string reason);

    [LoggerMessage(
        10,
        LogLevel.Warning,
        "AddAdaptivePool() was called, but requests run on the runtime's thread pool: call 'app.UseAdaptivePool()' before the application starts.",
        EventName = "NoMiddleware")]
    private static partial void LogNoMiddleware(ILogger logger);

    [LoggerMessage(
        11,
        LogLevel.Warning,
        "Pool '{PoolName}': the endpoints name more work classes than MaxClasses ({MaxClasses}, the default one included) allows, and the last to come share "
            + "the default class with one limit for all: let endpoints that behave alike share a class with RunOnAdaptivePool(NAME), or raise '{Key}'.",
        EventName = "ClassOverflow")]
    private static partial void LogOverflow(ILogger logger, string poolName, int maxClasses, string key);
}
