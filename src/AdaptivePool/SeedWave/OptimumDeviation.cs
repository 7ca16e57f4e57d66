namespace AdaptivePool.SeedWave;

/// <summary>Which value has left the band fixed when the best size was found.</summary>
internal enum OptimumDeviation
{
    /// <summary>None.</summary>
    None,

    /// <summary>Completions per second.</summary>
    Throughput,

    /// <summary>Number of clients.</summary>
    Connections,

    /// <summary>Mean time from queueing to completion.</summary>
    Latency,
}
