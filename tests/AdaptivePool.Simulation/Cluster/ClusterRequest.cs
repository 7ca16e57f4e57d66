namespace AdaptivePool.Simulation.Cluster;

/// <summary>One request on its way through a simulated cluster. Times are in seconds of virtual time.</summary>
public sealed class ClusterRequest
{
    /// <summary>When its client sent it.</summary>
    public required double SentAt { get; init; }

    /// <summary>Which balancer got it.</summary>
    public required int Balancer { get; init; }

    /// <summary>CPU time that it needs on a machine that is not slowed down, beyond what the machine's threads cost.</summary>
    public required double Cpu { get; init; }

    /// <summary>Time that it sleeps after that.</summary>
    public required double Sleep { get; init; }

    /// <summary>Which backend it was sent to.</summary>
    public int Backend { get; set; } = -1;

    /// <summary>When it was sent there.</summary>
    public double ForwardedAt { get; set; }

    /// <summary>When it arrived there.</summary>
    public double ArrivedAt { get; set; }

    /// <summary>When it got a core there.</summary>
    public double StartedAt { get; set; }

    /// <summary>Requests that were at the backend when it arrived.</summary>
    public int FoundInFlight { get; set; }

    /// <summary>Run of the backend that it was sent to: it is lost when that ends first.</summary>
    public int Life { get; set; }
}
