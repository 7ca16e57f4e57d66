using AdaptivePool.Balancing.Overload;

namespace AdaptivePool.Simulation.Cluster;

/// <summary>How a simulated cluster is balanced, and how its backends size their pools. One object for a run; balancers know nothing of each other.</summary>
public abstract class ClusterPolicy
{
    /// <summary>Its name in tables.</summary>
    public abstract string Name { get; }

    /// <summary>Probes that were sent.</summary>
    public long Probes { get; protected set; }

    /// <summary>Called once at the start.</summary>
    public virtual void Begin(ClusterSimulation cluster)
    {
    }

    /// <summary>What decides a backend's overload point; <see langword="null"/> for nothing.</summary>
    public virtual IOverloadPolicy? CreateOverloadPolicy() => null;

    /// <summary>Chooses a backend that is up and not drained.</summary>
    /// <param name="balancer">The balancer that has the request.</param>
    /// <param name="candidates">Numbers of the backends that may be chosen.</param>
    /// <param name="now">The present time.</param>
    /// <param name="retryAfter">Seconds after which to ask again when none was chosen.</param>
    /// <returns>The number of a backend; -1 for none now.</returns>
    public abstract int Choose(int balancer, IReadOnlyList<int> candidates, double now, out double retryAfter);

    /// <summary>A request was sent.</summary>
    public virtual void OnSent(ClusterRequest request, double now)
    {
    }

    /// <summary>An answer has come.</summary>
    public virtual void OnAnswered(ClusterRequest request, double now)
    {
    }

    /// <summary>A request was lost with its backend.</summary>
    public virtual void OnLost(ClusterRequest request, double now)
    {
    }

    /// <summary>A second has ended: pools are sized.</summary>
    /// <param name="backend">The backend.</param>
    /// <param name="arrived">Requests that have arrived in the second.</param>
    /// <param name="completed">Requests that have ended in the second.</param>
    public virtual void SizePool(ClusterBackend backend, long arrived, long completed)
    {
        if (backend.Threads > 0)
        {
            backend.FollowRate(arrived, completed);
            backend.IsSized = true;
        }
    }
}
