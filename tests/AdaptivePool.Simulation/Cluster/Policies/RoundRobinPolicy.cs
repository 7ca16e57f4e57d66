namespace AdaptivePool.Simulation.Cluster.Policies;

/// <summary>Turns: YARP's and HAProxy's round robin, and the founding document's comparators that differ in how pools are sized.</summary>
public class RoundRobinPolicy(string name) : ClusterPolicy
{
    private int[] _next = [];

    /// <inheritdoc/>
    public override string Name => name;

    /// <inheritdoc/>
    public override void Begin(ClusterSimulation cluster)
        => _next = [.. Enumerable.Range(0, cluster.Scenario.Balancers).Select(_ => cluster.PolicyRandom.Next(cluster.Backends.Count))];

    /// <inheritdoc/>
    public override int Choose(int balancer, IReadOnlyList<int> candidates, double now, out double retryAfter)
    {
        retryAfter = 0;
        return candidates[_next[balancer]++ % candidates.Count];
    }
}
