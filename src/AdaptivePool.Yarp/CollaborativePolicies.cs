namespace AdaptivePool.Yarp;

/// <summary>The names of the policies for <c>ClusterConfig.LoadBalancingPolicy</c>.</summary>
public static class CollaborativePolicies
{
    /// <summary>
    /// Chooses the backend with the least work, among the backends that may take a request; see <see cref="Balancing.CollaborativeBalancer"/>.
    /// </summary>
    public const string Collaborative = nameof(Collaborative);

    /// <summary>The collaborative round robin of the founding document, followed literally; see <see cref="Balancing.CollaborativeRoundRobin"/>.</summary>
    public const string CollaborativeRoundRobin = nameof(CollaborativeRoundRobin);
}
