namespace AdaptivePool.Simulation.Cluster.Policies;

/// <summary>Fewest of the balancer's own requests in flight, of all backends (YARP's LeastRequests, HAProxy's leastconn) or of two drawn ones (YARP's
/// PowerOfTwoChoices, HAProxy's random(2)).</summary>
/// <param name="name">Its name.</param>
/// <param name="drawn">How many are drawn; 0 for all.</param>
public sealed class LeastRequestsPolicy(string name, int drawn) : ClusterPolicy
{
    private int[][] _inFlight = [];
    private int[] _next = [];
    private Random _random = new(0);

    /// <inheritdoc/>
    public override string Name => name;

    /// <inheritdoc/>
    public override void Begin(ClusterSimulation cluster)
    {
        _random = cluster.PolicyRandom;
        _inFlight = [.. Enumerable.Range(0, cluster.Scenario.Balancers).Select(_ => new int[cluster.Backends.Count])];

        // Balancers that begin with the same backend would go round in step for ever.
        _next = [.. Enumerable.Range(0, cluster.Scenario.Balancers).Select(_ => drawn == 0 ? _random.Next(cluster.Backends.Count) : 0)];
    }

    /// <inheritdoc/>
    public override int Choose(int balancer, IReadOnlyList<int> candidates, double now, out double retryAfter)
    {
        retryAfter = 0;
        int[] own = _inFlight[balancer];
        int best = -1;
        if (drawn == 0)
        {
            // Ties go in turns.
            int from = _next[balancer]++;
            for (int i = 0; i < candidates.Count; i++)
            {
                int index = candidates[(from + i) % candidates.Count];
                best = best < 0 || own[index] < own[best] ? index : best;
            }

            return best;
        }

        for (int i = 0; i < drawn; i++)
        {
            int index = candidates[_random.Next(candidates.Count)];
            best = best < 0 || own[index] < own[best] ? index : best;
        }

        return best;
    }

    /// <inheritdoc/>
    public override void OnSent(ClusterRequest request, double now) => _inFlight[request.Balancer][request.Backend]++;

    /// <inheritdoc/>
    public override void OnAnswered(ClusterRequest request, double now) => _inFlight[request.Balancer][request.Backend]--;

    /// <inheritdoc/>
    public override void OnLost(ClusterRequest request, double now) => _inFlight[request.Balancer][request.Backend]--;
}
