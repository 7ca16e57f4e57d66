namespace AdaptivePool;

/// <summary>An item that waits for a worker; see <see cref="PoolSnapshot.QueuedItems"/>.</summary>
public sealed record QueuedItemSnapshot
{
    /// <summary>Its work class.</summary>
    public required string ClassName { get; init; }

    /// <summary>Its priority.</summary>
    public required WorkPriority Priority { get; init; }

    /// <summary>Its tenant; <see langword="null"/> for none.</summary>
    public string? Tenant { get; init; }

    /// <summary>Number of the group of threads that its route belongs to; <see langword="null"/> without a route.</summary>
    public int? Group { get; init; }

    /// <summary>How many wait before it that have its class, priority, tenant and group.</summary>
    public required int Position { get; init; }

    /// <summary>Type of the work item, or "Task", "function" or "callback" for what the pool has wrapped.</summary>
    public required string Item { get; init; }

    /// <summary>
    /// How long it has waited at least: exact for a work item of a class that has a bound (<see cref="WorkClass.MaxQueued"/>,
    /// <see cref="WorkClass.MaxQueueTime"/>), otherwise since the pool's sizing thread has first seen it, some milliseconds after it came.
    /// <see langword="null"/> where that is not known: before it was seen, and of tenants and routes.
    /// </summary>
    public TimeSpan? Age { get; init; }
}
