namespace AdaptivePool.SeedWave;

/// <summary>Unit of the minimum accepted throughput.</summary>
public enum MinThroughputUnit
{
    /// <summary>Completions per second, whatever the workload.</summary>
    PerSecond,

    /// <summary>Per cent of the highest throughput seen since the search began.</summary>
    PercentOfBest,
}
