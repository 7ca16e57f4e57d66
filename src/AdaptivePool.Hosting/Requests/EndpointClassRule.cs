using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Routing;

namespace AdaptivePool.Hosting.Requests;

/// <summary>Decides from an endpoint's metadata whether its requests run on the pool, and as which work class.</summary>
internal static class EndpointClassRule
{
    public static bool IsDisabled(Endpoint endpoint) => endpoint.Metadata.GetMetadata<DisableAdaptivePoolAttribute>() is not null;

    /// <summary>The class's name; null when nothing names the endpoint, which then belongs to the default class.</summary>
    public static string? ClassName(Endpoint endpoint) =>
        endpoint.Metadata.GetMetadata<RunOnAdaptivePoolAttribute>()?.ClassName
        ?? (endpoint is RouteEndpoint route ? RouteName(route) : null)
        ?? (string.IsNullOrWhiteSpace(endpoint.DisplayName) ? null : endpoint.DisplayName);

    /// <summary>What happens when a request of the endpoint blocks; null when nothing says so.</summary>
    public static BlockingAction? OnBlocking(Endpoint endpoint) => endpoint.Metadata.GetMetadata<OnBlockingAttribute>()?.Action;

    /// <summary>Name of the pool; null for the application's pool without a name.</summary>
    public static string? PoolName(Endpoint endpoint) => endpoint.Metadata.GetMetadata<RunOnAdaptivePoolAttribute>()?.Pool;

    private static string? RouteName(RouteEndpoint endpoint)
    {
        var pattern = endpoint.RoutePattern;

        // A conventional route ("{controller}/{action}") is one pattern for many actions: only the display name tells them apart.
        if (pattern.RawText is not { } text || pattern.Parameters.Any(parameter => pattern.RequiredValues.ContainsKey(parameter.Name)))
        {
            return null;
        }

        var path = text.StartsWith('/') ? text : "/" + text;
        var methods = endpoint.Metadata.GetMetadata<IHttpMethodMetadata>()?.HttpMethods;
        return methods is { Count: > 0 } ? $"{string.Join(',', methods)} {path}" : path;
    }
}
