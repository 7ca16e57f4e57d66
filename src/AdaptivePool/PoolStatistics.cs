namespace AdaptivePool;

/// <summary>What a pool has done since <see cref="AdaptiveThreadPool.ResetStatistics"/>, or since it was created.</summary>
public sealed record PoolStatistics
{
    /// <summary>How long that is.</summary>
    public required TimeSpan Elapsed { get; init; }

    /// <summary>Threads created.</summary>
    public required long ThreadsCreated { get; init; }

    /// <summary>Times a parked worker was woken to look for work.</summary>
    public required long Wakes { get; init; }

    /// <summary>Times a class got threads because nothing of it completed.</summary>
    public required long Stalls { get; init; }

    /// <summary>Times a thread start had to wait for <see cref="AdaptivePoolOptions.ThreadCreationThrottle"/>.</summary>
    public required long Throttles { get; init; }

    /// <summary>Items completed.</summary>
    public required long Completed { get; init; }

    /// <summary>Items that a worker took from another one's own queue.</summary>
    public required long Steals { get; init; }

    /// <summary>Items with a route that a worker of another group took.</summary>
    public required long Borrows { get; init; }

    /// <summary>
    /// Items of open transactions that waited with new work: for want of tickets (<see cref="AdaptivePoolOptions.HighPriorityTickets"/>), or because
    /// <see cref="AdaptivePoolOptions.HighPriorityMode"/> says so.
    /// </summary>
    public required long HeldBack { get; init; }

    /// <summary>Those of them that waited for <see cref="AdaptivePoolOptions.PriorityKickUp"/>, and went first after all.</summary>
    public required long KickUps { get; init; }
}
