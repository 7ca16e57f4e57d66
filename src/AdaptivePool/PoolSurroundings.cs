using AdaptivePool.Groups;
using AdaptivePool.Runtime;
using AdaptivePool.Sensing;

namespace AdaptivePool;

/// <summary>What a pool takes from the process and the system around it. Tests replace parts of it.</summary>
internal sealed record PoolSurroundings
{
    /// <summary>Where workers come from.</summary>
    public ThreadSource Threads { get; init; } = ThreadSource.System;

    /// <summary>Where all other threads of the pool come from.</summary>
    public ThreadSource OwnThreads { get; init; } = ThreadSource.System;

    /// <summary>The pool whose elastic part this one is; <see langword="null"/> for a pool of its own.</summary>
    public AdaptiveThreadPool? Whole { get; init; }

    /// <summary>Whether the pool is for background work, which others do not count with.</summary>
    public bool IsElastic => Whole is not null;

    /// <summary>The pools with which this one shares the cores.</summary>
    public CpuBudget Budget { get; init; } = CpuBudget.Process;

    /// <summary>What is known of the end of the program. A pool and its elastic part, which ends after it, have one end and one time for it.</summary>
    public ProgramEnd End { get; init; } = new(TimeProvider.System);

    /// <summary>Who watches the runtime's pool for this one; <see langword="null"/> for nobody.</summary>
    public RuntimePoolWatch? RuntimePool { get; init; } = RuntimePoolWatch.Process;

    /// <summary>What was found missing, for whoever listens first.</summary>
    public PlatformNotice Platform { get; init; } = PlatformNotice.Process;

    /// <summary>Folder that stands for "/" where the system's files are read.</summary>
    public string Root { get; init; } = "/";

    /// <summary>Nodes and processors.</summary>
    public Func<CpuTopology> Topology { get; init; } = static () => CpuTopology.Machine;

    /// <summary>Use of the collector's memory limit; <see langword="null"/> asks the collector.</summary>
    public Func<MemoryUse>? Heap { get; init; }

    /// <summary>
    /// Whether the sizing thread wakes workers for work that it finds waiting, and audits. Without it a lost wake stays lost, which is what stress looks for.
    /// </summary>
    public bool HasSafetyNet { get; init; } = true;
}
