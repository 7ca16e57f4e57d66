namespace AdaptivePool.Yarp;

/// <summary>Names for <c>ClusterConfig.LoadBalancingPolicy</c>.</summary>
public static class CollaborativePolicies
{
    /// <summary>The least work among the backends that may take a request; see <see cref="Balancing.CollaborativeBalancer"/>.</summary>
    public const string Collaborative = nameof(Collaborative);

    /// <summary>The founding document's collaborative round robin, literal; see <see cref="Balancing.CollaborativeRoundRobin"/>.</summary>
    public const string CollaborativeRoundRobin = nameof(CollaborativeRoundRobin);
}
