namespace AdaptivePool.Yarp;

/// <summary>Where a request was sent. A feature of the request; used by one thread at a time.</summary>
internal sealed class SentRequest(ClusterBalancer balancer, BackendState destination, TimeSpan at)
{
    /// <summary>The balancer of the destination. The request's cluster may have another balancer, with its own clock, by the time of the response.</summary>
    public ClusterBalancer Balancer { get; } = balancer;

    public BackendState Destination { get; } = destination;

    public TimeSpan At { get; } = at;

    /// <summary>Whether YARP asked for the destination, and not the middleware that waits.</summary>
    public bool IsAskedByYarp { get; init; }

    /// <summary>The status with which the destination has begun to respond; <see langword="null"/> before.</summary>
    public int? Status { get; set; }

    /// <summary>The time at which the destination began to respond.</summary>
    public TimeSpan AnsweredAt { get; set; }

    public bool IsEnded { get; set; }
}
