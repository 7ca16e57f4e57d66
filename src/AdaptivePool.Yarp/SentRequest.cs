namespace AdaptivePool.Yarp;

/// <summary>Where a request was sent. A feature of the request; used by one thread at a time.</summary>
internal sealed class SentRequest(ClusterBalancer balancer, BackendState destination, TimeSpan at)
{
    /// <summary>Whose destination it is: that of the request's cluster may be another one by the time it is answered, with a clock of its own.</summary>
    public ClusterBalancer Balancer { get; } = balancer;

    public BackendState Destination { get; } = destination;

    public TimeSpan At { get; } = at;

    /// <summary>Whether YARP asked for the destination, and not the middleware that waits.</summary>
    public bool IsAskedByYarp { get; init; }

    /// <summary>Status with which its destination has begun to answer; <see langword="null"/> before.</summary>
    public int? Status { get; set; }

    /// <summary>When it has.</summary>
    public TimeSpan AnsweredAt { get; set; }

    public bool IsEnded { get; set; }
}
