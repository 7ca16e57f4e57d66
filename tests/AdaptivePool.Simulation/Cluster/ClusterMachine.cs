namespace AdaptivePool.Simulation.Cluster;

/// <summary>A backend's machine. The CPU time of a request is its own plus <c>CpuPerRequest + CpuPerThread * threads of the pool beyond
/// FreeThreads</c>.</summary>
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

    /// <summary>Threads that cost nothing: with more than these the machine begins to do nothing but switch.</summary>
    public int FreeThreads { get; init; }

    /// <summary>The rate at which "pool = rate" uses the machine up, in requests per second.</summary>
    public double CapacityWherePoolIsRate
    {
        get
        {
            double atNone = CpuPerRequest - (CpuPerThread * FreeThreads);
            return (Math.Sqrt((atNone * atNone) + (4 * CpuPerThread * Cores)) - atNone) / (2 * CpuPerThread);
        }
    }

    /// <summary>CPU seconds of a request beyond its own.</summary>
    /// <param name="threads">Threads of the pool.</param>
    public double Overhead(int threads) => CpuPerRequest + (CpuPerThread * Math.Max(0, threads - FreeThreads));
}
