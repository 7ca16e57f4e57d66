namespace AdaptivePool.Balancing;

/// <summary>What a balancer does with a request while every backend is at its limit.</summary>
public enum LimitedChoice
{
    /// <summary>Sends it to the next one in turn, past its limit.</summary>
    NextInTurn,

    /// <summary>Sends it to the one with the fewest requests in flight for what it may get, past its limit.</summary>
    LeastLoaded,

    /// <summary>Chooses none: the caller waits or refuses.</summary>
    Refuse,
}
