namespace AdaptivePool.Balancing;

/// <summary>What a balancer does with a request while every backend is at its limit.</summary>
public enum LimitedChoice
{
    /// <summary>Sends it to the next backend in turn, beyond its limit.</summary>
    NextInTurn,

    /// <summary>Sends it to the backend with the fewest requests in flight relative to the rate that it may get, beyond its limit.</summary>
    LeastLoaded,

    /// <summary>Chooses no backend: the caller waits or refuses.</summary>
    Refuse,
}
