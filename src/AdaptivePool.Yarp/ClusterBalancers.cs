using System.Runtime.CompilerServices;
using AdaptivePool.Balancing;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Options;
using Yarp.ReverseProxy.Model;

namespace AdaptivePool.Yarp;

/// <summary>One balancer for each cluster that has one of our policies, kept as long as YARP keeps the cluster: a change of its configuration forgets
/// nothing.</summary>
internal sealed class ClusterBalancers(IOptions<CollaborativeProxyOptions> options, ProxyMetrics metrics, ILogger<ClusterBalancer> logger)
{
    private readonly ConditionalWeakTable<ClusterState, ClusterBalancer> _balancers = [];

    public CollaborativeProxyOptions Options => options.Value;

    /// <summary>The balancer of a cluster with one of our policies; null when it has another one.</summary>
    public ClusterBalancer? Find(ClusterState cluster) => cluster.Model.Config.LoadBalancingPolicy is { } policy && IsOurs(policy) ? Of(cluster, policy) : null;

    /// <summary>The balancer of a cluster.</summary>
    public ClusterBalancer Of(ClusterState cluster, string policy)
    {
        ClusterBalancer balancer = _balancers.GetValue(cluster, it => Create(it, policy));
        if (!string.Equals(balancer.Policy, policy, StringComparison.OrdinalIgnoreCase))
        {
            // The configuration names the other policy now.
            _balancers.AddOrUpdate(cluster, balancer = Create(cluster, policy));
        }

        return balancer;
    }

    public static bool IsOurs(string policy) =>
        string.Equals(policy, CollaborativePolicies.Collaborative, StringComparison.OrdinalIgnoreCase)
        || string.Equals(policy, CollaborativePolicies.CollaborativeRoundRobin, StringComparison.OrdinalIgnoreCase);

    private ClusterBalancer Create(ClusterState cluster, string policy)
    {
        IBalancer balancer = string.Equals(policy, CollaborativePolicies.Collaborative, StringComparison.OrdinalIgnoreCase)
            ? new CollaborativeBalancer(Options.Collaborative, cluster.ClusterId.GetHashCode(StringComparison.Ordinal))
            : new CollaborativeRoundRobin(Options.RoundRobin);
        return new ClusterBalancer(cluster.ClusterId, policy, balancer, metrics, logger);
    }
}
