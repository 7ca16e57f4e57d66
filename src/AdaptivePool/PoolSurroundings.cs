using AdaptivePool.Groups;
using AdaptivePool.Runtime;
using AdaptivePool.Sensing;

namespace AdaptivePool;

/// <summary>What a pool takes from the process and the system around it. Tests replace parts of it.</summary>
internal sealed record PoolSurroundings
{
    /// <summary>The source of workers.</summary>
    public ThreadSource Threads { get; init; } = ThreadSource.System;

    /// <summary>The source of all other threads of the pool.</summary>
    public ThreadSource OwnThreads { get; init; } = ThreadSource.System;

    /// <summary>The pool whose elastic part this one is; <see langword="null"/> for a pool of its own.</summary>
    public AdaptiveThreadPool? Whole { get; init; }

    /// <summary>Whether the pool runs background work, whose CPU time other pools treat as free.</summary>
    public bool IsElastic => Whole is not null;

    /// <summary>The pools with which this pool shares the cores.</summary>
    public CpuBudget Budget { get; init; } = CpuBudget.Process;

    /// <summary>What is known about the end of the program. A pool and its elastic part, which ends after it, share one end and one time for it.</summary>
    public ProgramEnd End { get; init; } = new(TimeProvider.System);

    /// <summary>The watch of the runtime's pool for this pool; <see langword="null"/> for none.</summary>
    public RuntimePoolWatch? RuntimePool { get; init; } = RuntimePoolWatch.Process;

    /// <summary>What the self-test found missing, for the first listener.</summary>
    public PlatformNotice Platform { get; init; } = PlatformNotice.Process;

    /// <summary>The folder that stands for "/" where the pool reads files of the system.</summary>
    public string Root { get; init; } = "/";

    /// <summary>Nodes and processors.</summary>
    public Func<CpuTopology> Topology { get; init; } = static () => CpuTopology.Machine;

    /// <summary>Use of the collector's memory limit; <see langword="null"/> asks the collector.</summary>
    public Func<MemoryUse>? Heap { get; init; }

    /// <summary>
    /// Whether the sizing thread wakes workers for work that it finds waiting, and audits. Without it a lost wake stays lost, so that stress tests can find
    /// it.
    /// </summary>
    public bool HasSafetyNet { get; init; } = true;
}
