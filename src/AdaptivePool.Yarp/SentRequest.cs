namespace AdaptivePool.Yarp;

/// <summary>Where a request was sent. A feature of the request; used by one thread at a time.</summary>
internal sealed class SentRequest(KnownDestination destination, TimeSpan at)
{
    public KnownDestination Destination { get; } = destination;

    public TimeSpan At { get; } = at;

    public bool IsEnded { get; set; }
}
