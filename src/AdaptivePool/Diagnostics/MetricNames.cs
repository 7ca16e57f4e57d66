namespace AdaptivePool.Diagnostics;

/// <summary>Names of the pool's metrics (<c>System.Diagnostics.Metrics</c>; any collector that reads a meter by name gets them). All have the tag <c>pool</c>, its name.</summary>
public static class MetricNames
{
    /// <summary>The meter.</summary>
    public const string Meter = "AdaptivePool";

    /// <summary>
    /// Counter of decisions about a size, in decisions. Tags: <c>pool</c>, <c>class</c> (empty for the pool as a whole) and <c>reason</c>, a name of <see cref="Control.DecisionReason"/>;
    /// <c>InvalidSample</c> counts the samples that a controller could not believe.
    /// </summary>
    public const string Decisions = "adaptivepool.decisions";

    /// <summary>Counter of deadlocks found; see <see cref="AdaptiveThreadPool.DeadlockChanged"/>.</summary>
    public const string Deadlocks = "adaptivepool.deadlocks";

    /// <summary>Gauge of threads alive.</summary>
    public const string Threads = "adaptivepool.threads";

    /// <summary>Gauge of threads parked.</summary>
    public const string IdleThreads = "adaptivepool.threads.idle";

    /// <summary>Gauge of threads whose item stands in a managed wait, a sleep or a <see cref="BlockingScope"/>.</summary>
    public const string BlockedThreads = "adaptivepool.threads.blocked";

    /// <summary>Gauge of items waiting.</summary>
    public const string Queued = "adaptivepool.queued";

    /// <summary>Counter of items completed.</summary>
    public const string Completed = "adaptivepool.completed";
}
