namespace AdaptivePool.Control;

/// <summary>Why a size was written. Every write has one; each is a label of the adjustments metric.</summary>
public enum DecisionReason
{
    /// <summary>Nothing changed.</summary>
    Hold,

    /// <summary>The size a class or a controller starts with.</summary>
    Initial,

    /// <summary>A user resized the pool or its bounds; or a size on trial is not granted, because the pool's maximum or other classes leave no room.</summary>
    ManualResize,

    /// <summary>CPU hogs: less than 15 % of the busy workers' time is blocked, so more than cores + 1 threads cannot help (rule R6).</summary>
    HogCap,

    /// <summary>A step of the verified ramp, on trial.</summary>
    Ramp,

    /// <summary>A ramp step was measured and kept.</summary>
    RampVerified,

    /// <summary>A ramp step was measured and brought too little; back to the verified size.</summary>
    RampRefused,

    /// <summary>The model N / utilisation said where the knee is.</summary>
    ModelJump,

    /// <summary>Threads lent while nothing completes.</summary>
    StallLoan,

    /// <summary>A loan was paid back.</summary>
    LoanRepaid,

    /// <summary>A loan to sleepers was measured and kept.</summary>
    LoanVerified,

    /// <summary>The wave: a small, deliberate change of size to measure its effect.</summary>
    Wave,

    /// <summary>The wave showed that more threads bring more; or a gate's step down from a far too high limit lost throughput or was not drained to, and is
    /// taken back.</summary>
    JumpUp,

    /// <summary>The wave showed that fewer threads bring more; or a gate goes down from a far too high limit: its first step is not measured before, later ones
    /// follow one that lost nothing.</summary>
    JumpDown,

    /// <summary>No trend at the largest magnitude: looking for the smallest size that is as good.</summary>
    Plateau,

    /// <summary>The best size is known within the wanted accuracy.</summary>
    Optimized,

    /// <summary>The search began again.</summary>
    Reinitialized,

    /// <summary>The workload changed.</summary>
    WorkloadChange,

    /// <summary>A jump was refused because clients are few (seed 000, "False jump").</summary>
    FalseJump,

    /// <summary>A size far above the number of clients was refused (seed 000, "False transition").</summary>
    FalseTransition,

    /// <summary>Throughput is under the accepted minimum; the controller is suspended.</summary>
    Suspended,

    /// <summary>Nothing waits, so a bigger size cannot be judged.</summary>
    DemandLimited,

    /// <summary>The sample could not be used.</summary>
    InvalidSample,

    /// <summary>Idle threads retired.</summary>
    IdleTimeout,

    /// <summary>Threads could not be created.</summary>
    ThreadCreationFailed,

    /// <summary>A smaller size on what looked like a plateau costs throughput, so the knee is above it: searching as usual again.</summary>
    PlateauLeft,

    /// <summary>Throughput, connections or latency left the band fixed when the best size was found: the search began again.</summary>
    OptimumLost,

    /// <summary>There are no connections, so nothing measured says anything about the size: the search begins again with the first one.</summary>
    NoConnections,

    /// <summary>Throughput fell further than any change of size explains: the search began again.</summary>
    SteepDecline,

    /// <summary>Near the memory limit nothing grows, except to one runnable worker.</summary>
    MemoryLimit,

    /// <summary>A gate's share of the limit that it has with others before the same database.</summary>
    FleetShare,
}
