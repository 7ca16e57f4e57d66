using AdaptivePool.Balancing;
using AdaptivePool.Balancing.Overload;
using AdaptivePool.Simulation.Cluster.Policies;

namespace AdaptivePool.Simulation.Cluster;

/// <summary>The policies by name.</summary>
public static class ComparedPolicies
{
    /// <summary>Their names, in the order of tables.</summary>
    public static IReadOnlyList<string> Names { get; } =
        ["collaborative", "crr", "heuristic-dtps", "rl-dtps", "round-robin", "least-requests", "power-of-two", "prequal"];

    /// <summary>Readings of the founding document that are compared only when they are asked for: its figure 9 needs another step than its equation.</summary>
    public static IReadOnlyList<string> Readings { get; } = ["crr-figure-9"];

    /// <summary>Makes the policy of a name. <c>round-robin</c> is YARP's and HAProxy's, <c>least-requests</c> is also HAProxy's leastconn, <c>power-of-two</c>
    /// also its random(2).</summary>
    /// <exception cref="ArgumentException">There is none of the name.</exception>
    public static ClusterPolicy Create(string name) => name switch
    {
        "collaborative" => ReportedPolicy.Collaborative(),
        "crr" => ReportedPolicy.Literal(),
        "crr-figure-9" => new ReportedPolicy(
            name,
            static _ => new CollaborativeRoundRobin(new CollaborativeRoundRobinOptions { Step = RateStep.FirstPoint }),
            static () => new GrowthOverloadPolicy()),
        "heuristic-dtps" => new HeuristicPolicy(),
        "rl-dtps" => new ResourceLevelPolicy(),
        "round-robin" => new RoundRobinPolicy(name),
        "least-requests" => new LeastRequestsPolicy(name, drawn: 0),
        "power-of-two" => new LeastRequestsPolicy(name, drawn: 2),
        "prequal" => new PrequalPolicy(),
        _ => throw new ArgumentException($"There is no policy '{name}'. Policies: {string.Join(", ", Names.Concat(Readings))}.", nameof(name)),
    };
}
