using AdaptivePool.Groups;

namespace AdaptivePool.Simulation.Nodes;

/// <summary>A machine with several NUMA nodes, each with several last-level caches.</summary>
/// <param name="Nodes">NUMA nodes.</param>
/// <param name="CachesPerNode">Last-level caches of a node.</param>
/// <param name="ProcessorsPerCache">Processors of a cache.</param>
public sealed record NodeMachine(int Nodes, int CachesPerNode, int ProcessorsPerCache)
{
    /// <summary>The machine of the founding document: four nodes, 128 processors; here with four of them to a last-level cache.</summary>
    public static NodeMachine Large { get; } = new(4, 8, 4);

    /// <summary>Processors.</summary>
    public int Processors => Nodes * CachesPerNode * ProcessorsPerCache;

    /// <summary>Time in which a cache line of a queue moves from one processor to another of its cache.</summary>
    public double CacheLineSeconds { get; init; } = 20e-9;

    /// <summary>The same to another cache of the node.</summary>
    public double NodeLineSeconds { get; init; } = 60e-9;

    /// <summary>The same to another node.</summary>
    public double FarLineSeconds { get; init; } = 150e-9;

    /// <summary>Time of a look into the queue of a group that has nothing.</summary>
    public double EmptyLookSeconds { get; init; } = 20e-9;

    /// <summary>Time from a wake to the worker's look.</summary>
    public double WakeSeconds { get; init; } = 5e-6;

    internal CpuTopology Topology => new([.. Enumerable.Range(0, Nodes).Select(node => new CpuNode(node, [.. Of(node)]))], null);

    /// <summary>The node of a processor.</summary>
    public int NodeOf(int processor) => CacheOf(processor) / CachesPerNode;

    /// <summary>The last-level cache of a processor.</summary>
    public int CacheOf(int processor) => processor / ProcessorsPerCache;

    /// <summary>Time in which a cache line moves.</summary>
    public double LineSeconds(int from, int to) => CacheOf(from) == CacheOf(to) ? CacheLineSeconds
        : NodeOf(from) == NodeOf(to) ? NodeLineSeconds
        : FarLineSeconds;

    private IEnumerable<int> Of(int node) => Enumerable.Range(node * CachesPerNode * ProcessorsPerCache, CachesPerNode * ProcessorsPerCache);
}
