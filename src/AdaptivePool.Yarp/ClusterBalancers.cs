using System.Runtime.CompilerServices;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Options;
using Yarp.ReverseProxy;

namespace AdaptivePool.Yarp;

/// <summary>One balancer for each cluster that has one of this library's policies. It is kept as long as YARP keeps the cluster: a change of the
/// configuration discards nothing except a destination whose address changes.</summary>
internal sealed class ClusterBalancers
{
    private readonly ConditionalWeakTable<ClusterState, ClusterBalancer> _balancers = [];
    private readonly ProxyMetrics _metrics;
    private readonly IServiceProvider _services;

    public ClusterBalancers(IOptions<CollaborativeProxyOptions> options, ProxyMetrics metrics, IServiceProvider services, ProxyLog log)
    {
        (Options, _metrics, _services, Log) = (options.Value, metrics, services, log);
        metrics.Known = Known;
    }

    public CollaborativeProxyOptions Options { get; }

    public ProxyLog Log { get; }

    // Not resolved in the constructor: its creation validates the policies first, and those need this object.
    private IProxyStateLookup Configuration => field ??= _services.GetRequiredService<IProxyStateLookup>();

    /// <summary>Returns the balancer of the cluster to which a request goes; null when the cluster has another policy.</summary>
    public ClusterBalancer? Find(HttpContext context) =>
        context.GetReverseProxyFeature().Cluster.Config.LoadBalancingPolicy is { } policy && IsOurs(policy) ? Of(context, policy) : null;

    /// <summary>Returns the balancer of the cluster to which a request goes.</summary>
    public ClusterBalancer Of(HttpContext context, string policy)
    {
        ClusterState cluster = ClusterOf(context);
        ClusterBalancer balancer = _balancers.GetValue(cluster, it => Create(it, policy));
        if (!string.Equals(balancer.Policy, policy, StringComparison.OrdinalIgnoreCase)
            && string.Equals(cluster.Model.Config.LoadBalancingPolicy, policy, StringComparison.OrdinalIgnoreCase))
        {
            // The configuration names the other policy now. A request from before the change uses the earlier policy, and does not bring it back.
            _balancers.AddOrUpdate(cluster, balancer = Create(cluster, policy));
        }

        return balancer;
    }

    /// <summary>Returns the cluster of a request. Middleware may send a request to another cluster than that of its route (<c>ReassignProxyRequest</c>). The
    /// request's feature has only the configuration of that cluster.</summary>
    private ClusterState ClusterOf(HttpContext context)
    {
        IReverseProxyFeature feature = context.GetReverseProxyFeature();
        string wanted = feature.Cluster.Config.ClusterId;
        ClusterState own = feature.Route.Cluster!;
        return own.ClusterId == wanted || !Configuration.TryGetCluster(wanted, out ClusterState? other) ? own : other;
    }

    private IEnumerable<(ClusterBalancer Cluster, BackendState Destination)> Known() =>
        from cluster in Configuration.GetClusters()
        let balancer = _balancers.TryGetValue(cluster, out ClusterBalancer? known) ? known : null
        where balancer is not null
        from destination in balancer.Destinations
        select (balancer, destination);

    private static bool IsOurs(string policy) =>
        string.Equals(policy, CollaborativePolicies.Collaborative, StringComparison.OrdinalIgnoreCase)
        || string.Equals(policy, CollaborativePolicies.CollaborativeRoundRobin, StringComparison.OrdinalIgnoreCase);

    private ClusterBalancer Create(ClusterState cluster, string policy)
    {
        bool isDocuments = !string.Equals(policy, CollaborativePolicies.Collaborative, StringComparison.OrdinalIgnoreCase);
        IBalancer balancer = isDocuments ? new CollaborativeRoundRobin(Options.RoundRobin)
            : new CollaborativeBalancer(Options.Collaborative, cluster.ClusterId.GetHashCode(StringComparison.Ordinal));
        TimeSpan? pointLifetime = isDocuments ? Options.RoundRobin.PointLifetime : Options.Collaborative.PointLifetime;
        return new ClusterBalancer(cluster, policy, balancer, pointLifetime, _metrics, Log);
    }
}
