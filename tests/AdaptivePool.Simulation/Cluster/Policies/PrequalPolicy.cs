namespace AdaptivePool.Simulation.Cluster.Policies;

/// <summary>
/// Prequal (NSDI 2024): each query sends some probes to drawn backends; what they answer is pooled, and a query is sent to the pooled backend that is cold (its
/// requests in flight are not above a quantile of the pool) and has the least latency, or to the least loaded one when all are hot.
/// </summary>
public sealed class PrequalPolicy : ClusterPolicy
{
    private List<Probe>[] _pools = [];
    private bool[] _removesOldest = [];
    private ClusterSimulation? _cluster;
    private Random _random = new(0);
    private double _uses;

    /// <inheritdoc/>
    public override string Name => "prequal";

    /// <inheritdoc/>
    public override void Begin(ClusterSimulation cluster)
    {
        (_cluster, _random) = (cluster, cluster.PolicyRandom);
        _pools = [.. Enumerable.Range(0, cluster.Scenario.Balancers).Select(_ => new List<Probe>())];
        _removesOldest = new bool[cluster.Scenario.Balancers];
        double supply = ((1 - ((double)PeerParameters.PrequalPool / cluster.Backends.Count)) * PeerParameters.PrequalProbes) - PeerParameters.PrequalRemoved;
        _uses = supply > 0 ? Math.Max(1, (1 + PeerParameters.PrequalDelta) / supply) : PeerParameters.PrequalUses;
    }

    /// <inheritdoc/>
    public override int Choose(int balancer, IReadOnlyList<int> candidates, double now, out double retryAfter)
    {
        retryAfter = 0;
        SendProbes(balancer, candidates);
        List<Probe> pool = _pools[balancer];
        pool.RemoveAll(p => now - p.At > PeerParameters.PrequalAge || !candidates.Contains(p.Backend));
        if (pool.Count < PeerParameters.PrequalFewest)
        {
            return candidates[_random.Next(candidates.Count)];
        }

        int[] sorted = [.. pool.Select(p => p.InFlight).Order()];
        int threshold = sorted[Math.Min(sorted.Length - 1, (int)(PeerParameters.PrequalQuantile * sorted.Length))];
        Probe chosen = pool.Where(p => p.InFlight <= threshold).MinBy(p => p.Latency) ?? pool.MinBy(p => p.InFlight)!;
        Remove(balancer, pool, threshold);

        // A used probe is out of date by the query that it brought.
        chosen.InFlight++;
        chosen.Used++;
        if (chosen.Used >= _uses)
        {
            pool.Remove(chosen);
        }

        return chosen.Backend;
    }

    private void Remove(int balancer, List<Probe> pool, int threshold)
    {
        if (pool.Count <= PeerParameters.PrequalFewest)
        {
            return;
        }

        _removesOldest[balancer] = !_removesOldest[balancer];
        Probe removed = _removesOldest[balancer] ? pool.MinBy(p => p.At)!
            : pool.Any(p => p.InFlight > threshold) ? pool.MaxBy(p => p.InFlight)! : pool.MaxBy(p => p.Latency)!;
        pool.Remove(removed);
    }

    private void SendProbes(int balancer, IReadOnlyList<int> candidates)
    {
        int count = Math.Min(PeerParameters.PrequalProbes, candidates.Count);
        for (int i = 0; i < count; i++)
        {
            ClusterBackend backend = _cluster!.Backends[candidates[_random.Next(candidates.Count)]];
            Probes++;
            _cluster.After(_cluster.Scenario.Network, () =>
            {
                if (backend.IsUp)
                {
                    Probe probe = new() { Backend = backend.Index, InFlight = backend.InFlight, Latency = backend.LatencyNow(_cluster.Now) };
                    _cluster.After(_cluster.Scenario.Network, () => Take(balancer, probe));
                }
            });
        }
    }

    private void Take(int balancer, Probe probe)
    {
        List<Probe> pool = _pools[balancer];
        probe.At = _cluster!.Now;
        pool.RemoveAll(p => p.Backend == probe.Backend);
        if (pool.Count >= PeerParameters.PrequalPool)
        {
            pool.Remove(pool.MinBy(p => p.At)!);
        }

        pool.Add(probe);
    }

    private sealed class Probe
    {
        public required int Backend { get; init; }

        public required double Latency { get; init; }

        public required int InFlight { get; set; }

        public double At { get; set; }

        public int Used { get; set; }
    }
}
