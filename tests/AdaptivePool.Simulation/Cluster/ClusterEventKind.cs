namespace AdaptivePool.Simulation.Cluster;

/// <summary>What happens.</summary>
internal enum ClusterEventKind
{
    /// <summary>A second begins: pools are sized, and its requests are drawn.</summary>
    Second,

    /// <summary>Machines may change.</summary>
    Weather,

    /// <summary>A request is at a balancer.</summary>
    Sent,

    /// <summary>A request that waits at a balancer tries again.</summary>
    Retry,

    /// <summary>A request is at its backend.</summary>
    Arrived,

    /// <summary>A request has used its core.</summary>
    LeftCore,

    /// <summary>A request has slept.</summary>
    Ended,

    /// <summary>An answer is at the balancer.</summary>
    Answered,

    /// <summary>The balancer sees that a request was lost.</summary>
    Lost,

    /// <summary>An overload monitor looks.</summary>
    Look,

    /// <summary>A policy wanted to be called.</summary>
    Call,
}
