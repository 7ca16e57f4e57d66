namespace AdaptivePool.Simulation.Cluster.Policies;

/// <summary>
/// RL-DTPS of the founding document (M. G. Valls, ISORC 2016). An agent on each machine looks at its free memory once a period and keeps what it saw. Requests
/// are distributed by that. When the load of a machine has changed, the balancer signals a pool of as many threads as requests come, where what the agent saw
/// suffices for those that are new. With machines of equal memory that is never short, that is half and half, and a pool that follows the rate for ever.
/// </summary>
/// <param name="memory">Memory of each machine, in bytes. Above 0.</param>
public sealed class ResourceLevelPolicy(double memory = ResourceLevelPolicy.DocumentMemory) : ClusterPolicy
{
    /// <summary>Memory of each of the document's machines, in bytes.</summary>
    public const double DocumentMemory = 64e9;

    /// <summary>Memory of a thread: the stack that is really used, in bytes.</summary>
    public const double PerThread = 1e6;

    /// <summary>Seconds between two looks of an agent. The document says "periodically"; its request counts are of a second.</summary>
    private const double Period = 1;

    private readonly Dictionary<(int Balancer, int Backend), double> _credits = [];
    private double[] _seen = [];
    private ClusterSimulation? _cluster;

    /// <inheritdoc/>
    public override string Name => "rl-dtps";

    /// <inheritdoc/>
    public override void Begin(ClusterSimulation cluster)
    {
        _cluster = cluster;
        _seen = new double[cluster.Backends.Count];
        Look();
    }

    /// <inheritdoc/>
    public override int Choose(int balancer, IReadOnlyList<int> candidates, double now, out double retryAfter)
    {
        // Smooth weighted round robin: everybody earns its weight, the richest one is chosen and pays what was earned.
        retryAfter = 0;
        (int best, double sum) = (candidates[0], 0);
        foreach (int i in candidates)
        {
            sum += _seen[i];
            _credits[(balancer, i)] = _credits.GetValueOrDefault((balancer, i)) + _seen[i];
            best = _credits[(balancer, i)] > _credits[(balancer, best)] ? i : best;
        }

        _credits[(balancer, best)] -= sum;
        return best;
    }

    /// <inheritdoc/>
    public override void SizePool(ClusterBackend backend, long arrived, long completed)
    {
        int wanted = Math.Max(backend.Machine.Cores, (int)arrived);
        if (backend.Threads > 0 && _seen[backend.Index] >= (wanted - backend.Threads) * PerThread)
        {
            backend.Threads = wanted;
        }
    }

    private void Look()
    {
        foreach (ClusterBackend backend in _cluster!.Backends)
        {
            _seen[backend.Index] = Math.Max(0, memory - (backend.Threads * PerThread));
        }

        _cluster.After(Period, Look);
    }
}
