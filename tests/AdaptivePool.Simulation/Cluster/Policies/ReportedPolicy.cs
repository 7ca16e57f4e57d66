using AdaptivePool.Balancing;
using AdaptivePool.Balancing.Overload;

namespace AdaptivePool.Simulation.Cluster.Policies;

/// <summary>A balancer of the product: the code that runs behind YARP, told by the reports that come with answers.</summary>
/// <param name="name">Its name.</param>
/// <param name="createBalancer">Makes one for each balancer, by its number.</param>
/// <param name="createOverload">Makes what decides the backends' overload points.</param>
public sealed class ReportedPolicy(string name, Func<int, IBalancer> createBalancer, Func<IOverloadPolicy> createOverload) : ClusterPolicy
{
    private ClusterSimulation? _cluster;
    private IBalancer[] _balancers = [];
    private BackendState[][] _states = [];
    private readonly List<BackendState> _candidates = [];

    /// <inheritdoc/>
    public override string Name => name;

    /// <summary>The founding document's collaborative round robin, literal.</summary>
    public static ReportedPolicy Literal() => new("crr", _ => new CollaborativeRoundRobin(), () => new GrowthOverloadPolicy());

    /// <summary>The better one.</summary>
    public static ReportedPolicy Collaborative() => new("collaborative", i => new CollaborativeBalancer(seed: i), () => new TargetOverloadPolicy());

    /// <inheritdoc/>
    public override void Begin(ClusterSimulation cluster)
    {
        _cluster = cluster;
        _balancers = [.. Enumerable.Range(0, cluster.Scenario.Balancers).Select(createBalancer)];
        _states = [.. _balancers.Select(_ => cluster.Backends.Select(b => new BackendState($"b{b.Index}", TimeSpan.Zero)).ToArray())];
    }

    /// <inheritdoc/>
    public override IOverloadPolicy CreateOverloadPolicy() => createOverload();

    /// <inheritdoc/>
    public override int Choose(int balancer, IReadOnlyList<int> candidates, double now, out double retryAfter)
    {
        _candidates.Clear();
        foreach (int i in candidates)
        {
            _candidates.Add(_states[balancer][i]);
        }

        BalancerChoice choice = _balancers[balancer].Choose(_candidates, TimeSpan.FromSeconds(now));
        retryAfter = choice.RetryAfter.TotalSeconds;
        return choice.IsChosen ? candidates[choice.Index] : -1;
    }

    /// <inheritdoc/>
    public override void OnSent(ClusterRequest request, double now) => State(request).Begin();

    /// <inheritdoc/>
    public override void OnAnswered(ClusterRequest request, double now)
    {
        // The report left with the answer; one network hop later is near enough.
        State(request).End(TimeSpan.FromSeconds(now - request.ForwardedAt), TimeSpan.FromSeconds(now));
        State(request).Take(_cluster!.Backends[request.Backend].Report(request.Balancer), TimeSpan.FromSeconds(now));
    }

    /// <inheritdoc/>
    public override void OnLost(ClusterRequest request, double now)
    {
        State(request).End(elapsed: null, TimeSpan.FromSeconds(now));
        State(request).Restart(TimeSpan.FromSeconds(now));
    }

    private BackendState State(ClusterRequest request) => _states[request.Balancer][request.Backend];
}
