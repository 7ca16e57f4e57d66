namespace AdaptivePool.Control;

/// <summary>The reason why a size was written. Every write has a reason, and each reason is a label of the adjustments metric.</summary>
public enum DecisionReason
{
    /// <summary>Nothing changed.</summary>
    Hold,

    /// <summary>The initial size of a class or a controller.</summary>
    Initial,

    /// <summary>
    /// A user changed the size of the pool or its bounds. Or a size on trial is not granted, because the pool's maximum or other classes leave no room.
    /// </summary>
    ManualResize,

    /// <summary>
    /// The work uses the CPU: the busy workers are blocked for less than 15 % of their time, so more than cores + 1 threads cannot help (rule R6).
    /// </summary>
    HogCap,

    /// <summary>A step of the verified ramp (the growth of a class at its start), on trial.</summary>
    Ramp,

    /// <summary>The pool measured a ramp step and kept it.</summary>
    RampVerified,

    /// <summary>The pool measured a ramp step, and the gain was too small. The class goes back to the verified size.</summary>
    RampRefused,

    /// <summary>The model N / utilisation predicted the size from which more threads bring no gain (the knee).</summary>
    ModelJump,

    /// <summary>
    /// The pool lent threads to a class because none of its items completes, or one for each item that has waited far longer than the others take.
    /// </summary>
    StallLoan,

    /// <summary>The class gave lent threads back.</summary>
    LoanRepaid,

    /// <summary>The pool measured a loan to a class whose items sleep, and kept it.</summary>
    LoanVerified,

    /// <summary>The wave: a small, deliberate change of the size to measure its effect.</summary>
    Wave,

    /// <summary>
    /// The wave showed that more threads give more throughput. For a gate: a step down from a far too high limit lost throughput, or the number of transactions
    /// did not fall to the new limit, and the step is reversed.
    /// </summary>
    JumpUp,

    /// <summary>
    /// The wave showed that fewer threads give more throughput. For a gate: the limit goes down from a far too high value. The first step is not measured
    /// beforehand; each later step follows a step that lost no throughput.
    /// </summary>
    JumpDown,

    /// <summary>There is no trend at the largest magnitude. The controller searches for the smallest size that is as good.</summary>
    Plateau,

    /// <summary>The best size is known within the required accuracy.</summary>
    Optimized,

    /// <summary>The search started again.</summary>
    Reinitialized,

    /// <summary>The workload changed.</summary>
    WorkloadChange,

    /// <summary>A jump was refused because there are few clients (seed 000, "False jump").</summary>
    FalseJump,

    /// <summary>A size far above the number of clients was refused (seed 000, "False transition").</summary>
    FalseTransition,

    /// <summary>Throughput is under the accepted minimum; the controller is suspended.</summary>
    Suspended,

    /// <summary>No work waits, so a larger size cannot be judged.</summary>
    DemandLimited,

    /// <summary>The sample could not be used.</summary>
    InvalidSample,

    /// <summary>Idle threads ended.</summary>
    IdleTimeout,

    /// <summary>Threads could not be created.</summary>
    ThreadCreationFailed,

    /// <summary>A smaller size on what looked like a plateau costs throughput, so the knee is above it. The controller searches as usual again.</summary>
    PlateauLeft,

    /// <summary>Throughput, connections or latency left the band that was set when the best size was found. The search started again.</summary>
    OptimumLost,

    /// <summary>There are no connections, so the measurements say nothing about the size. The search starts again with the first connection.</summary>
    NoConnections,

    /// <summary>The throughput fell further than any change of size explains. The search started again.</summary>
    SteepDecline,

    /// <summary>The memory limit is near, so no size grows, except as far as one worker needs to be runnable.</summary>
    MemoryLimit,

    /// <summary>The gate's share of the limit that it has in common with other gates before the same database.</summary>
    FleetShare,
}
