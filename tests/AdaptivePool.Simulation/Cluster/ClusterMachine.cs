namespace AdaptivePool.Simulation.Cluster;

/// <summary>A backend's machine. The CPU time of a request is its own plus <c>CpuPerRequest + CpuPerThread * threads of the pool</c>.</summary>
public sealed record ClusterMachine
{
    /// <summary>Cores.</summary>
    public required int Cores { get; init; }

    /// <summary>Threads at the start; 0 for as many as requests come, at no cost.</summary>
    public int Threads { get; init; }

    /// <summary>CPU seconds that each request costs.</summary>
    public double CpuPerRequest { get; init; }

    /// <summary>CPU seconds that each request costs for each thread of the pool: switching, scheduling, contention.</summary>
    public double CpuPerThread { get; init; }

    /// <summary>The rate at which "pool = rate" uses the machine up, in requests per second.</summary>
    public double CapacityWherePoolIsRate =>
        (Math.Sqrt((CpuPerRequest * CpuPerRequest) + (4 * CpuPerThread * Cores)) - CpuPerRequest) / (2 * CpuPerThread);
}
