using Microsoft.AspNetCore.Http.Connections;
using Microsoft.AspNetCore.SignalR;
using Microsoft.AspNetCore.StaticAssets;

namespace AdaptivePool.Hosting.Requests;

/// <summary>Decides from the metadata of an endpoint or a hub's method whether it runs on a pool, on which, and as which work class.</summary>
internal static class EndpointClassRule
{
    /// <summary>The class of all files of <c>MapStaticAssets()</c>: hundreds of endpoints that behave alike.</summary>
    public const string StaticAssets = "static assets";

    public static bool IsDisabled(EndpointMetadataCollection metadata) => metadata.GetMetadata<DisableAdaptivePoolAttribute>() is not null;

    /// <summary>The class's name; null when nothing names the endpoint, which then belongs to the default class.</summary>
    public static string? ClassName(Endpoint endpoint) =>
        endpoint.Metadata.GetMetadata<RunOnAdaptivePoolAttribute>() is null && endpoint.Metadata.GetMetadata<StaticAssetDescriptor>() is not null
            ? StaticAssets
            : ClassName(endpoint.Metadata)
                ?? (endpoint is RouteEndpoint route ? RouteName(route) : null)
                ?? (string.IsNullOrWhiteSpace(endpoint.DisplayName) ? null : endpoint.DisplayName);

    /// <summary>The class that the metadata name; null when they name none.</summary>
    public static string? ClassName(EndpointMetadataCollection metadata) => metadata.GetMetadata<RunOnAdaptivePoolAttribute>()?.ClassName;

    /// <summary>Whether its requests may run where the server put them: nothing says where they run, or bounds those that wait.</summary>
    public static bool MayBeGuest(EndpointMetadataCollection metadata) =>
        metadata.GetMetadata<RunOnAdaptivePoolAttribute>() is null && metadata.GetMetadata<LimitQueueAttribute>() is null;

    /// <summary>Whether its answers are files.</summary>
    public static bool SendsFiles(EndpointMetadataCollection metadata) => metadata.GetMetadata<StaticAssetDescriptor>() is not null;

    /// <summary>Whether its requests may carry messages of a hub's connection that was accepted before.</summary>
    public static bool CarriesMessages(EndpointMetadataCollection metadata) =>
        metadata.GetMetadata<HubMetadata>() is not null && metadata.GetMetadata<NegotiateMetadata>() is null;

    /// <summary>What happens when it blocks; null when nothing says so.</summary>
    public static BlockingAction? OnBlocking(EndpointMetadataCollection metadata) => metadata.GetMetadata<OnBlockingAttribute>()?.Action;

    /// <summary>What bounds the queue of its class; null when nothing is said.</summary>
    public static LimitQueueAttribute? QueueLimit(EndpointMetadataCollection metadata) => metadata.GetMetadata<LimitQueueAttribute>();

    /// <summary>Name of the pool; null for the application's pool without a name.</summary>
    public static string? PoolName(EndpointMetadataCollection metadata) => metadata.GetMetadata<RunOnAdaptivePoolAttribute>()?.Pool;

    /// <summary>What is wrong with the library's metadata, the overridden ones too; <see langword="null"/> when nothing is.</summary>
    /// <param name="metadata">Of an endpoint, or of a hub's method.</param>
    /// <param name="owner">Whose metadata they are, in words.</param>
    public static string? Failure(EndpointMetadataCollection metadata, string owner) =>
        metadata.GetOrderedMetadata<ICheckedMetadata>().Select(it => Failure(it, owner)).FirstOrDefault(static failure => failure is not null);

    /// <summary>What is wrong with one of them; <see langword="null"/> when nothing is.</summary>
    public static string? Failure(ICheckedMetadata metadata, string owner) =>
        metadata.Failure is { } failure ? $"The {owner} has a wrong {metadata.GetType().Name[..^nameof(Attribute).Length]}: {failure}" : null;

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
        var methods = endpoint.Metadata.GetMetadata<IHttpMethodMetadata>()?.HttpMethods;
        return methods is { Count: > 0 } ? $"{string.Join(',', methods)} {path}" : path;
    }
}
