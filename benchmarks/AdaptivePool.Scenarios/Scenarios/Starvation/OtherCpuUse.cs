namespace AdaptivePool.Scenarios.Scenarios.Starvation;

/// <summary>Who uses the CPU beside the pool.</summary>
public enum OtherCpuUse
{
    /// <summary>Nobody.</summary>
    None,

    /// <summary>One busy process per core.</summary>
    Processes,

    /// <summary>One busy thread of this process per core, outside of the pool.</summary>
    Threads,
}
