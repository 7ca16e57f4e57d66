namespace AdaptivePool.Simulation.Cluster;

/// <summary>The parameters of those that ours is compared with. They were written down before ours was tuned.</summary>
public static class PeerParameters
{
    /// <summary>Prequal: probes in a balancer's pool.</summary>
    public const int PrequalPool = 16;

    /// <summary>Prequal: seconds after which a probe counts no more.</summary>
    public const double PrequalAge = 1;

    /// <summary>Prequal: probes for each query.</summary>
    public const int PrequalProbes = 3;

    /// <summary>Prequal: probes removed with each query, in turn the oldest and the worst.</summary>
    public const int PrequalRemoved = 1;

    /// <summary>Prequal: a backend is hot above this quantile of the requests in flight in the pool.</summary>
    public const double PrequalQuantile = 0.84;

    /// <summary>Prequal: how much faster the pool is filled than emptied, in the formula for how often a probe is used.</summary>
    public const double PrequalDelta = 1;

    /// <summary>Prequal: how often a probe is used where that formula has no answer, because there are hardly more backends than probes; as in open
    /// replications.</summary>
    public const double PrequalUses = 3;

    /// <summary>Prequal: with fewer probes than this, a backend is drawn.</summary>
    public const int PrequalFewest = 2;
}
