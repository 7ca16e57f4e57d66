namespace AdaptivePool.Diagnostics;

/// <summary>
/// The names of the pool's metrics (<c>System.Diagnostics.Metrics</c>). Any collector that reads a meter by name receives them. The metrics of pools have the
/// tag <c>pool</c>, the name of the pool. If another pool of the meter has that name, a number is added.
/// </summary>
public static class MetricNames
{
    /// <summary>The meter.</summary>
    public const string Meter = "AdaptivePool";

    /// <summary>
    /// Counter of decisions about a size, in decisions. Tags: <c>pool</c>, <c>class</c> (empty for the pool as a whole) and <c>reason</c>, a name of
    /// <see cref="Control.DecisionReason"/>; <c>InvalidSample</c> counts the samples that a controller rejected as impossible.
    /// </summary>
    public const string Decisions = "adaptivepool.decisions";

    /// <summary>Counter of deadlocks found; see <see cref="AdaptiveThreadPool.DeadlockChanged"/>.</summary>
    public const string Deadlocks = "adaptivepool.deadlocks";

    /// <summary>Gauge of threads alive.</summary>
    public const string Threads = "adaptivepool.threads";

    /// <summary>Gauge of parked threads.</summary>
    public const string IdleThreads = "adaptivepool.threads.idle";

    /// <summary>Gauge of threads whose item is in a managed wait, in a sleep or in a <see cref="BlockingScope"/>.</summary>
    public const string BlockedThreads = "adaptivepool.threads.blocked";

    /// <summary>Gauge of waiting items.</summary>
    public const string Queued = "adaptivepool.queued";

    /// <summary>
    /// Counter of items that a work class did not run, because too many waited or they waited too long. Tags: <c>pool</c>, <c>class</c> and <c>reason</c>,
    /// <see cref="Admission.RefusalReason.QueueFull"/> or <see cref="Admission.RefusalReason.QueueTimeout"/>; see <see cref="WorkClass.MaxQueued"/> and
    /// <see cref="WorkClass.MaxQueueTime"/>.
    /// </summary>
    public const string Refused = "adaptivepool.refused";

    /// <summary>
    /// Counter of requests that did not run because they were aborted while they waited for a worker: the client had disconnected, or a timeout had expired.
    /// Tags: <c>pool</c> and <c>class</c>. AdaptivePool.Hosting counts them.
    /// </summary>
    public const string DroppedRequests = "adaptivepool.requests.dropped";

    /// <summary>
    /// Counter of decisions whether the requests of a class run on the server's thread where they arrive. Tags: <c>pool</c>, <c>class</c>, <c>guests</c> (true
    /// or false) and <c>reason</c>: <c>Earned</c> when they start to run there; <c>Crowds</c>, <c>Long</c> (a request slept or computed), <c>Settings</c>
    /// (the class got a bounded queue, a weight or a blocking action) or, in a class whose requests wait, <c>Slow</c>, <c>Others</c>
    /// (requests of other classes came), <c>Idle</c> (many wait, and cores are idle) or <c>Bounded</c> (the pool's threads) when they stop. See
    /// <see cref="AdaptiveThreadPool.GuestsChanged"/>.
    /// </summary>
    public const string GuestDecisions = "adaptivepool.guests.decisions";

    /// <summary>
    /// Gauge of how long work waits in the runtime's pool, in seconds, as last measured; see <see cref="AdaptiveThreadPool.RuntimePoolStarved"/>.
    /// </summary>
    public const string RuntimePoolDelay = "adaptivepool.runtime_pool.delay";

    /// <summary>
    /// Counter of decisions about the limit of an adaptive gate. Tags: <c>gate</c>, the name of the gate; <c>reason</c>, a name of
    /// <see cref="Control.DecisionReason"/>; <c>applied</c>, whether the limit was changed.
    /// </summary>
    public const string GateDecisions = "adaptivepool.gate.decisions";

    /// <summary>Gauge of the current limit of an adaptive gate, in transactions; 0 for none. Tag: <c>gate</c>.</summary>
    public const string GateLimit = "adaptivepool.gate.limit";

    /// <summary>Gauge of the limit that an adaptive gate wants; in monitor-only mode, the limit that it would have. Tag: <c>gate</c>.</summary>
    public const string GateWantedLimit = "adaptivepool.gate.limit.wanted";

    /// <summary>Gauge of transactions that wait at an adaptive gate. Tag: <c>gate</c>.</summary>
    public const string GateQueued = "adaptivepool.gate.queued";

    /// <summary>Counter of stalls: the times a class got threads because none of its items completed.</summary>
    public const string Stalls = "adaptivepool.stalls";

    /// <summary>Counter of throttles: the times a thread start had to wait for the table of <see cref="PoolPreset.DatabaseCompatible"/>.</summary>
    public const string Throttles = "adaptivepool.throttles";

    /// <summary>Counter of items that a worker took from the own queue of another worker.</summary>
    public const string Steals = "adaptivepool.steals";

    /// <summary>Counter of items with a route that a worker of another group took.</summary>
    public const string Borrows = "adaptivepool.borrows";

    /// <summary>Counter of items of open transactions that waited with new work: see <see cref="PoolStatistics.HeldBack"/>.</summary>
    public const string HeldBack = "adaptivepool.held_back";

    /// <summary>
    /// Counter of items of <see cref="HeldBack"/> that went before new work after they had waited for <see cref="AdaptivePoolOptions.PriorityKickUp"/>.
    /// </summary>
    public const string KickUps = "adaptivepool.kick_ups";

    /// <summary>Counter of waits of items that the pool inspected. Tags: <c>pool</c> and <c>reason</c>, see <see cref="PoolSnapshot.Waits"/>.</summary>
    public const string Waits = "adaptivepool.waits";

    /// <summary>
    /// Gauge of items that have waited longer than <see cref="AdaptivePoolOptions.PriorityKickUp"/> behind work of higher priority. Tags: <c>pool</c> and
    /// <c>class</c>.
    /// </summary>
    public const string Starved = "adaptivepool.queue.starved";

    /// <summary>
    /// Gauge of the time that a share of the items waited at most, in seconds. Tags: <c>pool</c>, <c>class</c>, <c>priority</c> (a name of
    /// <see cref="WorkPriority"/>) and <c>quantile</c>, which is 0.5 or 0.99; see <see cref="WorkClassSnapshot.LongWait"/>.
    /// </summary>
    public const string QueueWait = "adaptivepool.queue.wait";

    /// <summary>
    /// Gauge of waiting items with a route. Tags: <c>pool</c> and <c>group</c>, the number of the group. Only for pools with more than one group.
    /// </summary>
    public const string GroupQueued = "adaptivepool.group.queued";

    /// <summary>Counter of items completed.</summary>
    public const string Completed = "adaptivepool.completed";

    /// <summary>Counter of wakes: the times a parked worker was woken to look for work.</summary>
    public const string Wakes = "adaptivepool.wakes";

    /// <summary>
    /// Counter of useless wakes: wakes after which the worker found no work, because other workers were faster, and went back to sleep. Their share of
    /// <see cref="Wakes"/> shows the wasted cost of waking.
    /// </summary>
    public const string UselessWakes = "adaptivepool.wakes.useless";
}
