using AdaptivePool.Balancing;

namespace AdaptivePool.Yarp;

/// <summary>Where a request was sent. A feature of the request; used by one thread at a time.</summary>
internal sealed class SentRequest(BackendState destination, TimeSpan at)
{
    public BackendState Destination { get; } = destination;

    public TimeSpan At { get; } = at;

    /// <summary>Whether its destination has begun to answer.</summary>
    public bool IsAnswered { get; set; }

    public bool IsEnded { get; set; }
}
