namespace AdaptivePool;

/// <summary>Where root work waits in its class: by its priority, or of normal priority in the lane of a tenant or of a route.</summary>
/// <param name="Priority">Its order.</param>
/// <param name="Tenant">Its tenant; <see langword="null"/> for none.</param>
/// <param name="Route">Its route, which has no tenant; <see langword="null"/> for none.</param>
internal readonly record struct RootPlace(WorkPriority Priority, string? Tenant, long? Route)
{
    /// <summary>Where all work waits that has no place of its own.</summary>
    public static readonly RootPlace Normal = Of(WorkPriority.Normal);

    public static RootPlace Of(WorkPriority priority) => new(priority, null, null);

    public static RootPlace Of(string tenant)
    {
        ArgumentException.ThrowIfNullOrEmpty(tenant);
        return new(WorkPriority.Normal, tenant, null);
    }

    public static RootPlace Of(long route) => new(WorkPriority.Normal, null, route);
}
