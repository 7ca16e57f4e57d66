using AdaptivePool;
using AdaptivePool.Hosting;

namespace Microsoft.AspNetCore.Builder;

/// <summary>Says for an endpoint, or a group of them, where its requests run.</summary>
public static class AdaptivePoolEndpointConventionBuilderExtensions
{
    /// <summary>Requests stay on the runtime's pool, whatever else is said about the endpoint. Meant for endpoints that must answer while the pool is saturated.</summary>
    /// <typeparam name="TBuilder">The builder's type.</typeparam>
    /// <param name="builder">The endpoint or group.</param>
    /// <returns><paramref name="builder"/>, for further calls.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="builder"/> is null.</exception>
    public static TBuilder DisableAdaptivePool<TBuilder>(this TBuilder builder)
        where TBuilder : IEndpointConventionBuilder
    {
        ArgumentNullException.ThrowIfNull(builder);
        builder.Add(static endpoint => endpoint.Metadata.Add(new DisableAdaptivePoolAttribute()));
        return builder;
    }

    /// <summary>Requests belong to the named work class, so that endpoints that behave alike share one limit. The last call wins; <see cref="DisableAdaptivePool"/> beats them all.</summary>
    /// <typeparam name="TBuilder">The builder's type.</typeparam>
    /// <param name="builder">The endpoint or group.</param>
    /// <param name="className">Name of the class, as <see cref="AdaptiveThreadPool.GetClass"/> takes it. Null (the default) makes each endpoint a class of its own, as without any metadata.</param>
    /// <returns><paramref name="builder"/>, for further calls.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="builder"/> is null.</exception>
    /// <exception cref="ArgumentException"><paramref name="className"/> is empty or white space.</exception>
    public static TBuilder RunOnAdaptivePool<TBuilder>(this TBuilder builder, string? className = null)
        where TBuilder : IEndpointConventionBuilder
    {
        ArgumentNullException.ThrowIfNull(builder);
        var metadata = className is null ? new RunOnAdaptivePoolAttribute() : new RunOnAdaptivePoolAttribute(className);
        builder.Add(endpoint => endpoint.Metadata.Add(metadata));
        return builder;
    }
}
