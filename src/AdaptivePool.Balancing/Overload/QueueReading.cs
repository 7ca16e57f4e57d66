namespace AdaptivePool.Balancing.Overload;

/// <summary>The state of a backend's queue at one moment, as an overload policy gets it.</summary>
public readonly record struct QueueReading
{
    /// <summary>The present time, of a monotonic clock.</summary>
    public required TimeSpan Now { get; init; }

    /// <summary>The mean time that the requests in the queue have waited so far (equation 2 of the founding document); zero if there are none.</summary>
    public required TimeSpan AverageWait { get; init; }

    /// <summary>The number of requests in the queue.</summary>
    public required long Queued { get; init; }

    /// <summary>The number of requests that have arrived since the backend started.</summary>
    public required long Arrived { get; init; }

    /// <summary>The number of requests that have begun to run since the backend started. Default 0: it is not known.</summary>
    public long Started { get; init; }

    /// <summary>How long these have waited, all together.</summary>
    public TimeSpan StartedWait { get; init; }

    /// <summary>The number of requests that have ended since the backend started.</summary>
    public required long Completed { get; init; }

    /// <summary>
    /// Whether the pool has been sized since the backend started. Before that, requests wait because the pool has few threads, which says nothing about the
    /// machine. Default true.
    /// </summary>
    public bool IsSized { get; init; } = true;

    /// <summary>Creates a reading.</summary>
    public QueueReading()
    {
    }
}
