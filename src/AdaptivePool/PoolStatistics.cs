namespace AdaptivePool;

/// <summary>What a pool has done since <see cref="AdaptiveThreadPool.ResetStatistics"/>, or since it was created.</summary>
public sealed record PoolStatistics
{
    /// <summary>The length of this time.</summary>
    public required TimeSpan Elapsed { get; init; }

    /// <summary>The number of threads created.</summary>
    public required long ThreadsCreated { get; init; }

    /// <summary>The number of times a parked worker was woken to look for work.</summary>
    public required long Wakes { get; init; }

    /// <summary>The number of times a class got threads because none of its items completed.</summary>
    public required long Stalls { get; init; }

    /// <summary>The number of times a thread start had to wait for the table of <see cref="PoolPreset.DatabaseCompatible"/>.</summary>
    public required long Throttles { get; init; }

    /// <summary>The number of items completed.</summary>
    public required long Completed { get; init; }

    /// <summary>The number of items that a worker took from the own queue of another worker.</summary>
    public required long Steals { get; init; }

    /// <summary>The number of items with a route that a worker of another group took.</summary>
    public required long Borrows { get; init; }

    /// <summary>
    /// The number of items of open transactions that waited with new work, because the transaction had no tickets left
    /// (<see cref="AdaptivePoolOptions.HighPriorityTickets"/>) or because of <see cref="AdaptivePoolOptions.HighPriorityMode"/>.
    /// </summary>
    public required long HeldBack { get; init; }

    /// <summary>
    /// The number of items of <see cref="HeldBack"/> that had waited for <see cref="AdaptivePoolOptions.PriorityKickUp"/>, and then went before the new work.
    /// </summary>
    public required long KickUps { get; init; }
}
