namespace AdaptivePool.Hosting.Logging;

/// <summary>Writes what pools tell about themselves to the application's log, under the name of the pool's type.</summary>
internal sealed partial class PoolLog(ILogger<AdaptiveThreadPool> logger)
{
    private readonly ConditionalWeakTable<AdaptiveThreadPool, object> _followed = [];

    /// <summary>Follows a pool. Doing it again changes nothing.</summary>
    /// <returns>The pool.</returns>
    public AdaptiveThreadPool Follow(AdaptiveThreadPool pool)
    {
        if (!_followed.TryAdd(pool, logger))
        {
            return pool;
        }

        pool.Faulted += (it, exception) => LogFault(NameOf(it), exception);
        pool.BlockingReported += (_, blocking) => LogBlocking(blocking.PoolName, blocking.Message);
        pool.RuntimePoolStarved += (_, message) => LogRuntimePool(pool.Name, message);
        pool.BlockingFound += (it, found) => LogFinding(NameOf(it), found.Where, found.ClassName);
        pool.GuestsChanged += (_, change) =>
        {
            Action<string, string, string> log = change.HasGuests ? LogGuests : LogTakenIn;
            log(pool.Name, change.Name, change.GuestReason);
        };
        pool.DeadlockChanged += (_, deadlock) =>
        {
            Action<string, string> log = deadlock.IsDeadlocked ? LogDeadlock : LogDeadlockEnd;
            log(deadlock.PoolName, deadlock.Message);
        };

        // Last: what happened before is told at once.
        pool.Warned += (it, message) => LogWarning(NameOf(it), message);
        return pool;
    }

    // The elastic part of a pool raises the pool's events.
    private static string NameOf(object? pool) => ((AdaptiveThreadPool)pool!).Name;

    /// <summary>Tells that a pool has requests. For a named pool the first of them brings it here.</summary>
    public void LogInUse(string poolName) => LogInUse(new RequestLogger(logger), poolName);

    [LoggerMessage(1, LogLevel.Information, "Requests run on AdaptivePool '{PoolName}'.", EventName = "Enabled")]
    private static partial void LogInUse(ILogger logger, string poolName);

    [LoggerMessage(
        4,
        LogLevel.Error,
        "A work item of pool '{PoolName}', or an event handler, a controller or a meter listener that the pool called, threw an unhandled exception. "
            + "The pool continues.",
        EventName = "Fault")]
    private partial void LogFault(string poolName, Exception exception);

    [LoggerMessage(5, LogLevel.Warning, "Pool '{PoolName}': {Message}", EventName = "Warning")]
    private partial void LogWarning(string poolName, string message);

    [LoggerMessage(6, LogLevel.Warning, "Pool '{PoolName}': {Message}", EventName = "Blocking")]
    private partial void LogBlocking(string poolName, string message);

    [LoggerMessage(7, LogLevel.Critical, "Pool '{PoolName}': {Message}", EventName = "Deadlock")]
    private partial void LogDeadlock(string poolName, string message);

    [LoggerMessage(8, LogLevel.Warning, "Pool '{PoolName}': {Message}", EventName = "DeadlockEnd")]
    private partial void LogDeadlockEnd(string poolName, string message);

    [LoggerMessage(14, LogLevel.Warning, "Pool '{PoolName}': {Message}", EventName = "RuntimePoolStarved")]
    private partial void LogRuntimePool(string poolName, string message);

    [LoggerMessage(
        9,
        LogLevel.Warning,
        "Pool '{PoolName}': {Where} blocks a worker of class '{Class}', which must not block. Use await instead of waiting, or put the wait into "
            + "BlockingScope.Enter(\"reason\") if the wait is intended",
        EventName = "BlockingFound")]
    private partial void LogFinding(string poolName, string where, string @class);

    [LoggerMessage(
        17, LogLevel.Debug, "Pool '{PoolName}': requests of class '{Class}' run on the server's threads from now on: {Reason}.", EventName = "Guests")]
    private partial void LogGuests(string poolName, string @class, string reason);

    [LoggerMessage(
        18, LogLevel.Information, "Pool '{PoolName}': requests of class '{Class}' run on workers from now on: {Reason}.", EventName = "TakenIn")]
    private partial void LogTakenIn(string poolName, string @class, string reason);

    [LoggerMessage(
        10,
        LogLevel.Warning,
        "AddAdaptivePool() was called, but requests run on the runtime's thread pool: call 'app.UseAdaptivePool()' before the application starts.",
        EventName = "NoMiddleware")]
    public partial void LogNoMiddleware();

    [LoggerMessage(
        11,
        LogLevel.Warning,
        "Pool '{PoolName}': the endpoints name more work classes than MaxClasses ({MaxClasses}, the default one included) allows, and the last ones share "
            + "the default class with one limit for all. Let endpoints that behave alike share a class with RunOnAdaptivePool(NAME), or raise '{Key}'.",
        EventName = "ClassOverflow")]
    public partial void LogOverflow(string poolName, int maxClasses, string key);
}
