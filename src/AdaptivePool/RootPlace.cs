namespace AdaptivePool;

/// <summary>Where root work waits in its class: by its priority, or with normal priority in the lane of a tenant or of a route.</summary>
/// <param name="Priority">The priority.</param>
/// <param name="Tenant">The tenant; <see langword="null"/> for none.</param>
/// <param name="Route">The route of work that has no tenant; <see langword="null"/> for none.</param>
internal readonly record struct RootPlace(WorkPriority Priority, string? Tenant, long? Route)
{
    /// <summary>The place of all work that has no place of its own.</summary>
    public static readonly RootPlace Normal = Of(WorkPriority.Normal);

    public static RootPlace Of(WorkPriority priority) => new(priority, null, null);

    public static RootPlace Of(string tenant)
    {
        ArgumentException.ThrowIfNullOrEmpty(tenant);
        return new(WorkPriority.Normal, tenant, null);
    }

    public static RootPlace Of(long route) => new(WorkPriority.Normal, null, route);
}
