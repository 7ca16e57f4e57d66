using Microsoft.AspNetCore.StaticAssets;

namespace AdaptivePool.Hosting.Requests;

/// <summary>Decides from the metadata of an endpoint or a hub's method whether it runs on a pool, on which, and as which work class.</summary>
internal static class EndpointClassRule
{
    /// <summary>The class of all files of <c>MapStaticAssets()</c>: hundreds of endpoints that behave alike.</summary>
    public const string StaticAssets = "static assets";

    public static bool IsDisabled(EndpointMetadataCollection metadata) => metadata.Find<DisableAdaptivePoolAttribute>() is not null;

    /// <summary>
    /// Whether routing runs the endpoint itself, so that no middleware after it sees a request of it. The framework has no public type that says so.
    /// </summary>
    public static bool IsShortCircuit(EndpointMetadataCollection metadata) => metadata.Any(
        static one => one.GetType() is { Name: "ShortCircuitMetadata" } type && type.Assembly == typeof(RouteEndpoint).Assembly);

    /// <summary>The class's name; null when nothing names the endpoint, which then belongs to the default class.</summary>
    public static string? ClassName(Endpoint endpoint) =>
        endpoint.Metadata.Find<RunOnAdaptivePoolAttribute>() is null && endpoint.Metadata.Find<StaticAssetDescriptor>() is not null
            ? StaticAssets
            : ClassName(endpoint.Metadata)
                ?? (endpoint is RouteEndpoint route ? RouteName(route) : null)
                ?? (string.IsNullOrWhiteSpace(endpoint.DisplayName) ? null : endpoint.DisplayName);

    /// <summary>The class that the metadata name; null when they name none.</summary>
    public static string? ClassName(EndpointMetadataCollection metadata) => metadata.Find<RunOnAdaptivePoolAttribute>()?.ClassName;

    /// <summary>Name of the pool; null for the application's pool without a name.</summary>
    public static string? PoolName(EndpointMetadataCollection metadata) => metadata.Find<RunOnAdaptivePoolAttribute>()?.Pool;

    /// <summary>Refuses metadata of the library that have a value that is not allowed.</summary>
    /// <param name="metadata">One metadata object of an endpoint, or of a hub's method.</param>
    /// <param name="owner">The owner of the metadata, in words.</param>
    /// <exception cref="InvalidOperationException">The metadata have a value that is not allowed.</exception>
    public static void Check(ICheckedMetadata metadata, string owner)
    {
        if (metadata.Failure is { } failure)
        {
            throw new InvalidOperationException($"The {owner} has a wrong {metadata.GetType().Name[..^nameof(Attribute).Length]}: {failure}");
        }
    }

    /// <summary>The endpoint in words.</summary>
    public static string Words(Endpoint endpoint) => $"endpoint '{endpoint.DisplayName}'";

    private static string? RouteName(RouteEndpoint endpoint)
    {
        var pattern = endpoint.RoutePattern;

        // A conventional route ("{controller}/{action}") is one pattern for many actions: only the display name tells them apart.
        if (pattern.RawText is not { } text || pattern.Parameters.Any(parameter => pattern.RequiredValues.ContainsKey(parameter.Name)))
        {
            return null;
        }

        var path = text.StartsWith('/') ? text : "/" + text;
        var methods = endpoint.Metadata.Find<IHttpMethodMetadata>()?.HttpMethods;
        return methods is { Count: > 0 } ? $"{string.Join(',', methods)} {path}" : path;
    }
}
