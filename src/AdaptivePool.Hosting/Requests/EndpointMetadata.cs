namespace AdaptivePool.Hosting.Requests;

/// <summary>
/// Asks for metadata by their type. A collection remembers the types that it was asked for, and all endpoints without metadata share one collection. If that
/// one is asked directly, it keeps a plugin's own copy of the library for as long as the process runs.
/// </summary>
internal static class EndpointMetadata
{
#pragma warning disable RS0030 // The one place that asks.
    /// <summary>The last of a type; <see langword="null"/> where there is none.</summary>
    public static T? Find<T>(this EndpointMetadataCollection metadata)
        where T : class => metadata.Count == 0 ? null : metadata.GetMetadata<T>();

    /// <summary>All of a type.</summary>
    public static IReadOnlyList<T> FindAll<T>(this EndpointMetadataCollection metadata)
        where T : class => metadata.Count == 0 ? [] : metadata.GetOrderedMetadata<T>();
#pragma warning restore RS0030
}
