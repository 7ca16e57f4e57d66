namespace AdaptivePool.Simulation.Cluster.Policies;

/// <summary>
/// RL-DTPS of the founding document (M. G. Valls, ISORC 2016): the pool follows the request rate where the machine has memory for the threads; requests are
/// distributed by free memory. With machines of equal memory that is never short, that is half and half for ever.
/// </summary>
public sealed class ResourceLevelPolicy() : ClusterPolicy
{
    /// <summary>Memory of each of the document's machines, in bytes.</summary>
    private const double Memory = 64e9;

    /// <summary>Memory of a thread: the stack that is really used.</summary>
    private const double PerThread = 1e6;

    private readonly Dictionary<(int Balancer, int Backend), double> _credits = [];
    private ClusterSimulation? _cluster;

    /// <inheritdoc/>
    public override string Name => "rl-dtps";

    /// <inheritdoc/>
    public override void Begin(ClusterSimulation cluster) => _cluster = cluster;

    /// <inheritdoc/>
    public override int Choose(int balancer, IReadOnlyList<int> candidates, double now, out double retryAfter)
    {
        // Smooth weighted round robin: everybody earns its weight, the richest one is chosen and pays what was earned.
        retryAfter = 0;
        (int best, double sum) = (candidates[0], 0);
        foreach (int i in candidates)
        {
            double free = Free(_cluster!.Backends[i]);
            sum += free;
            _credits[(balancer, i)] = _credits.GetValueOrDefault((balancer, i)) + free;
            best = _credits[(balancer, i)] > _credits[(balancer, best)] ? i : best;
        }

        _credits[(balancer, best)] -= sum;
        return best;
    }

    /// <inheritdoc/>
    public override void SizePool(ClusterBackend backend, long arrived, long completed)
    {
        int wanted = Math.Max(backend.Machine.Cores, (int)arrived);
        if (backend.Threads > 0 && Free(backend) >= (wanted - backend.Threads) * PerThread)
        {
            backend.Threads = wanted;
        }
    }

    private static double Free(ClusterBackend backend) => Memory - (backend.Threads * PerThread);
}
