namespace AdaptivePool;

/// <summary>An item that waits for a worker; see <see cref="PoolSnapshot.QueuedItems"/>.</summary>
public sealed record QueuedItemSnapshot
{
    /// <summary>The work class of the item; "(in flight)" for work that continues work that has already started.</summary>
    public required string ClassName { get; init; }

    /// <summary>The priority of the item.</summary>
    public required WorkPriority Priority { get; init; }

    /// <summary>The tenant of the item; <see langword="null"/> for none.</summary>
    public string? Tenant { get; init; }

    /// <summary>The number of the thread group that the item's route belongs to; <see langword="null"/> without a route.</summary>
    public int? Group { get; init; }

    /// <summary>The number of items before it that have the same class, priority, tenant and group.</summary>
    public required int Position { get; init; }

    /// <summary>The type of the work item, or "Task", "function" or "callback" for work that the pool has wrapped.</summary>
    public required string Item { get; init; }

    /// <summary>
    /// How long the item has waited, at least. The time is exact for a work item of a class that has a bound (<see cref="WorkClass.MaxQueued"/>,
    /// <see cref="WorkClass.MaxQueueTime"/>). Otherwise it counts from the moment when the pool's sizing thread first saw the item, some milliseconds after the
    /// item was queued. <see langword="null"/> if the time is not known: before the item was seen, for items of tenants and routes, and for in-flight work.
    /// </summary>
    public TimeSpan? Age { get; init; }
}
