namespace AdaptivePool.Simulation.Nodes;

/// <summary>
/// A load on a machine with several NUMA nodes. What remote access costs are parameters; those of the named loads are the figures of the founding document on
/// NUMA: 10 to 20 % of read-only work, up to 100 % of contended writes, 30 to 40 % of the throughput where few threads over four nodes own the memory of all.
/// </summary>
/// <param name="Name">Its name.</param>
/// <param name="Clients">Clients, each with one item at a time and a route of its own.</param>
/// <param name="WorkSeconds">Mean time of an item without locks where all that it needs is near.</param>
/// <param name="ThinkSeconds">Mean time from the end of an item to the client's next.</param>
public sealed record NodeLoad(string Name, int Clients, double WorkSeconds, double ThinkSeconds)
{
    /// <summary>What an item costs more, as a share, when the client's last one ran on another node.</summary>
    public double FarShare { get; init; } = 0.2;

    /// <summary>The same on another cache of the node.</summary>
    public double NearShare { get; init; } = 0.03;

    /// <summary>What an item costs more where the client's memory belongs to another node: it stays where its first item ran.</summary>
    public double HomeShare { get; init; }

    /// <summary>Locks of which each item takes one at its end; 0 for none.</summary>
    public int Locks { get; init; }

    /// <summary>How long it holds it.</summary>
    public double LockSeconds { get; init; }

    /// <summary>What it holds it longer, as a share, when its last holder was on another node.</summary>
    public double FarLockShare { get; init; } = 1;

    /// <summary>Whether nine of ten clients have a route with the same remainder by four.</summary>
    public bool IsSkewed { get; init; }

    /// <summary>The six loads for which the default number of groups is to be near the best. Named before anything was measured.</summary>
    public static IReadOnlyList<NodeLoad> Named { get; } =
    [
        new("read-only", Clients: 1_024, WorkSeconds: 100e-6, ThinkSeconds: 100e-6),
        new("read-only-skewed", Clients: 1_024, WorkSeconds: 100e-6, ThinkSeconds: 100e-6) { IsSkewed = true },
        new("point-select", Clients: 1_024, WorkSeconds: 20e-6, ThinkSeconds: 50e-6) { HomeShare = 0.6 },
        new("write", Clients: 1_024, WorkSeconds: 100e-6, ThinkSeconds: 100e-6) { Locks = 256, LockSeconds = 5e-6 },
        new("write-contended", Clients: 1_024, WorkSeconds: 50e-6, ThinkSeconds: 100e-6) { Locks = 4, LockSeconds = 2e-6 },
        new("few-clients", Clients: 64, WorkSeconds: 50e-6, ThinkSeconds: 50e-6),
    ];
}
