namespace AdaptivePool.Balancing.Overload;

/// <summary>What an overload policy is told of a backend's queue at one moment.</summary>
public readonly record struct QueueReading
{
    /// <summary>The present time, of a monotonic clock.</summary>
    public required TimeSpan Now { get; init; }

    /// <summary>Mean time that the requests in the queue have waited so far (equation 2 of the founding document); zero when there are none.</summary>
    public required TimeSpan AverageWait { get; init; }

    /// <summary>Requests in the queue.</summary>
    public required long Queued { get; init; }

    /// <summary>Requests that have arrived since the backend started.</summary>
    public required long Arrived { get; init; }

    /// <summary>Requests that have ended since the backend started.</summary>
    public required long Completed { get; init; }

    /// <summary>
    /// Whether the pool has been sized since the backend started. Until then its few threads make requests wait, which says nothing about the machine.
    /// Default true.
    /// </summary>
    public bool IsSized { get; init; } = true;

    /// <summary>Creates a reading.</summary>
    public QueueReading()
    {
    }
}
