using System.Collections.Concurrent;

namespace AdaptivePool.Hosting.Logging;

/// <summary>
/// Writes the events of pools to the application's log, under the name of the pool's type. It stops when the application ends: a pool that the application
/// was given may live longer.
/// </summary>
internal sealed partial class PoolLog(ILogger<AdaptiveThreadPool> logger) : IDisposable
{
    private readonly ConcurrentDictionary<AdaptiveThreadPool, Follower> _followed = new();

    /// <summary>Follows a pool. A second call for the same pool has no effect.</summary>
    /// <returns>The pool.</returns>
    public AdaptiveThreadPool Follow(AdaptiveThreadPool pool)
    {
        var follower = new Follower(this, pool);
        if (_followed.TryAdd(pool, follower))
        {
            follower.Begin();
        }

        return pool;
    }

    public void Dispose()
    {
        foreach (var follower in _followed.Values)
        {
            follower.End();
        }
    }

    /// <summary>Logs once that a followed pool has requests. For a named pool its first requests call this method, several at once if they come at
    /// once.</summary>
    public void LogInUse(AdaptiveThreadPool pool)
    {
        if (_followed.TryGetValue(pool, out var follower) && follower.IsFirstUse())
        {
            LogInUse(new RequestLogger(logger), pool.Name);
        }
    }

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

    /// <summary>Logs the events of one pool.</summary>
    private sealed class Follower(PoolLog log, AdaptiveThreadPool pool)
    {
        private int _isUsed;

        // One of several calls that come at once is the first. Nothing else is published with the mark, so it pairs with nothing.
        public bool IsFirstUse() => Interlocked.Exchange(ref _isUsed, 1) == 0;

        public void Begin()
        {
            pool.Faulted += OnFault;
            pool.BlockingReported += OnBlocking;
            pool.RuntimePoolStarved += OnRuntimePool;
            pool.BlockingFound += OnFinding;
            pool.GuestsChanged += OnGuests;
            pool.DeadlockChanged += OnDeadlock;

            // Last: earlier warnings are passed on at once.
            pool.Warned += OnWarning;
        }

        public void End()
        {
            pool.Faulted -= OnFault;
            pool.BlockingReported -= OnBlocking;
            pool.RuntimePoolStarved -= OnRuntimePool;
            pool.BlockingFound -= OnFinding;
            pool.GuestsChanged -= OnGuests;
            pool.DeadlockChanged -= OnDeadlock;
            pool.Warned -= OnWarning;
        }

        // The elastic part of a pool raises the pool's events.
        private static string NameOf(object? it) => ((AdaptiveThreadPool)it!).Name;

        private void OnFault(object? it, Exception exception) => log.LogFault(NameOf(it), exception);

        private void OnBlocking(object? it, BlockingReport blocking) => log.LogBlocking(blocking.PoolName, blocking.Message);

        private void OnRuntimePool(object? it, string message) => log.LogRuntimePool(pool.Name, message);

        private void OnFinding(object? it, Blocker found) => log.LogFinding(NameOf(it), found.Where, found.ClassName);

        private void OnGuests(object? it, WorkClassSnapshot change)
        {
            Action<string, string, string> tell = change.HasGuests ? log.LogGuests : log.LogTakenIn;
            tell(pool.Name, change.Name, change.GuestReason);
        }

        private void OnDeadlock(object? it, BlockingReport deadlock)
        {
            Action<string, string> tell = deadlock.IsDeadlocked ? log.LogDeadlock : log.LogDeadlockEnd;
            tell(deadlock.PoolName, deadlock.Message);
        }

        private void OnWarning(object? it, string message) => log.LogWarning(NameOf(it), message);
    }
}
