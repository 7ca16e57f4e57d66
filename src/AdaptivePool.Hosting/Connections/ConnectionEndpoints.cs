using Microsoft.AspNetCore.Http.Connections;

namespace AdaptivePool.Hosting.Connections;

/// <summary>
/// Knows the endpoints at which clients of hubs and of connection handlers have their connections. The framework does not mark them, but maps beside each one
/// an endpoint where clients negotiate, and marks that.
/// </summary>
/// <param name="services">The application's services: the endpoints are known only once they have been mapped.</param>
internal sealed class ConnectionEndpoints(IServiceProvider services)
{
    private const string Negotiate = "/negotiate";

    // Keyed weakly, because an application may replace its endpoints while it runs.
    private readonly ConditionalWeakTable<Endpoint, object> _known = [];

    // A pair in one object, so that several requests may read it at once.
    private NegotiatedPaths? _negotiated;

    /// <summary>Whether a request carries a message of a connection that was accepted before, as server-sent events and long polling do.</summary>
    public bool CarriesMessage(HttpContext context, Endpoint endpoint) =>
        (HttpMethods.IsPost(context.Request.Method) || HttpMethods.IsDelete(context.Request.Method)) && Contains(endpoint) && HasId(context);

    /// <summary>Whether a request belongs to a connection that was accepted before: only such a one has an identifier.</summary>
    public static bool HasId(HttpContext context) => context.Request.Query.ContainsKey("id");

    /// <summary>Whether clients have connections at an endpoint.</summary>
    public bool Contains(Endpoint endpoint) =>
        (bool)(_known.TryGetValue(endpoint, out var known) ? known : _known.GetValue(endpoint, it => Find(it)));

    private bool Find(Endpoint endpoint) =>
        endpoint is RouteEndpoint { RoutePattern.RawText: { } path }
        && endpoint.Metadata.Find<NegotiateMetadata>() is null

        // An endpoint of connections accepts all methods. One with methods of its own is another endpoint of the same path.
        && endpoint.Metadata.Find<IHttpMethodMetadata>() is null
        && Negotiated().Contains(Normal(path + Negotiate));

    private HashSet<string> Negotiated()
    {
        // The list is another object after each change of the endpoints.
        var endpoints = services.GetService<EndpointDataSource>()?.Endpoints ?? [];
        if (_negotiated is not { } known || !ReferenceEquals(known.Endpoints, endpoints))
        {
            _negotiated = known = new NegotiatedPaths(endpoints, [.. endpoints.OfType<RouteEndpoint>()
                .Where(static it => it.Metadata.Find<NegotiateMetadata>() is not null)
                .Select(static it => Normal(it.RoutePattern.RawText ?? ""))]);
        }

        return known.Paths;
    }

    /// <summary>Patterns of groups have slashes that those of the application need not have.</summary>
    private static string Normal(string path) => path.Replace("//", "/", StringComparison.Ordinal).Trim('/');

    private sealed record NegotiatedPaths(IReadOnlyList<Endpoint> Endpoints, HashSet<string> Paths);
}
