using Yarp.ReverseProxy.LoadBalancing;

namespace AdaptivePool.Yarp;

/// <summary>The policy that YARP asks for a destination.</summary>
internal sealed class CollaborativePolicy(string name, ClusterBalancers balancers) : ILoadBalancingPolicy
{
    public string Name => name;

    public DestinationState? PickDestination(HttpContext context, ClusterState cluster, IReadOnlyList<DestinationState> availableDestinations) =>
        balancers.Of(context, name).Pick(context, availableDestinations);
}
