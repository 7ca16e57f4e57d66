using AdaptivePool.Hosting.Connections;
using AdaptivePool.Hosting.Hubs;
using AdaptivePool.Hosting.Logging;

namespace AdaptivePool.Hosting.Requests;

/// <summary>
/// Checks the application when it starts. It refuses endpoints that name work classes while nothing brings requests to the pool, where the metadata would
/// silently do nothing; pools that do not exist; and methods of hubs that limit a queue which something else limits differently. It logs requests that do not
/// run on the pool, and more classes than there may be.
/// </summary>
internal sealed class RequestStartupFilter(RequestTargets targets, HubPlaces hubs, PoolLog log, IOptions<AdaptivePoolHostingOptions> hosting) : IStartupFilter
{
    // The key that routing sets in the properties of the builder that it was called on. The framework's own middleware reads it as well.
    public const string RoutingKey = "__EndpointRouteBuilder";
    private const string UsedKey = "AdaptivePool.IsUsed";

    private IApplicationBuilder? _main;
    private IEndpointRouteBuilder? _mainRoutes;
    private int _places;
    private bool _isUsedOnMain;
    private bool _isUsedAfterRouting;
    private bool _isUsedBehindEndpoints;

    /// <summary>Whether a request may reach its endpoint without passing the pool: the pool is used in branches only, or a branch that routes by itself, and
    /// may run before it, has endpoints that specify where they run. Known once the pipeline is built.</summary>
    public bool MayBeMissed { get; private set; }

    /// <summary>Whether a request may come to the pool more than once.</summary>
    public bool AreSeveral => _places > 1;

    /// <summary>Whether the application calls UseRouting(). A WebApplication that routes by itself has the key on its server's pipeline only.</summary>
    private bool IsRoutedByHand =>
        _main is not null
        && _main.Properties.TryGetValue(RoutingKey, out var routes)
        && (routes is not IApplicationBuilder web || web.Properties.ContainsKey(RoutingKey));

    public Action<IApplicationBuilder> Configure(Action<IApplicationBuilder> next) => app =>
    {
        if (!hosting.Value.Enabled)
        {
            next(app);
            return;
        }

        // Comes before everything: any middleware may accept WebSockets, also one that stands before the pool. It is built last.
        _main = app;
        app.Use(start =>
        {
            if (_isUsedBehindEndpoints && !_isUsedAfterRouting)
            {
                throw new InvalidOperationException(
                    "UseAdaptivePool() is called after UseEndpoints(), where no request of an endpoint arrives: "
                    + "call 'app.UseAdaptivePool()' between 'app.UseRouting()' and 'app.UseEndpoints()'.");
            }

            Check(app.ApplicationServices);
            MayBeMissed = !_isUsedOnMain || HasOthers(app.ApplicationServices);
            return ConnectionFeatures.Create(start);
        });
        next(app);
    };

    /// <summary>Runs when the pipeline is built: other filters may have mapped endpoints after the application has.</summary>
    private void Check(IServiceProvider services)
    {
        var endpoints = services.GetService<EndpointDataSource>()?.Endpoints ?? [];
        foreach (var endpoint in endpoints)
        {
            hubs.Bound(endpoint);
            targets.Check(endpoint.Metadata, EndpointClassRule.Words(endpoint));
            if (EndpointClassRule.IsShortCircuit(endpoint.Metadata) && !EndpointClassRule.IsDisabled(endpoint.Metadata) && NeedsPlace(endpoint))
            {
                throw new InvalidOperationException(
                    $"The endpoint '{endpoint.DisplayName}' is to run on the AdaptivePool, but it has ShortCircuit(), and routing runs it before "
                    + "'app.UseAdaptivePool()'. Remove ShortCircuit(), or call DisableAdaptivePool() on the endpoint.");
            }
        }

        if (_places > 0)
        {
            targets.CheckRoom(endpoints);

            // Now, and not with the first request: requests of other endpoints of the class may arrive before one of the endpoint that limits its queue.
            foreach (var endpoint in endpoints.Where(static it => it.Metadata.Find<LimitQueueAttribute>() is not null))
            {
                targets.Get(endpoint);
            }

            return;
        }

        if (endpoints.FirstOrDefault(NeedsPlace) is { } lost)
        {
            throw new InvalidOperationException(
                $"The endpoint '{lost.DisplayName}' is to run on the AdaptivePool, but the request pipeline does not contain it. "
                + "Call 'app.UseAdaptivePool()' before the application starts.");
        }

        log.LogNoMiddleware();
    }

    /// <summary>
    /// Whether endpoints that are to run on the pool are not among those of the main pipeline's routing. That routing may still have the list of all endpoints,
    /// which it gets for a time if there are no others.
    /// </summary>
    private bool HasOthers(IServiceProvider services) =>
        services.GetService<EndpointDataSource>() is CompositeEndpointDataSource known
        && _mainRoutes?.DataSources.Any(static it => it is SharedEndpoints) != true
        && known.DataSources.Where(one => _mainRoutes?.DataSources.Contains(one) != true)
            .Any(one => one.Endpoints.Any(it => !EndpointClassRule.IsDisabled(it.Metadata) && NeedsPlace(it)));

    /// <summary>Whether requests come to the pool before what is added to a pipeline now.</summary>
    public static bool IsUsedBefore(IApplicationBuilder app) => app.Properties.ContainsKey(UsedKey);

    /// <summary>Whether an endpoint specifies something that only a place in the pipeline can do. Hubs need no such place.</summary>
    public bool NeedsPlace(Endpoint endpoint) => !(hosting.Value.Hubs && endpoint.Metadata.Find<HubMetadata>() is not null)
        && endpoint.Metadata.FindAll<ICheckedMetadata>().Any(static one => one is not RequireTransactionGateAttribute);

    /// <summary>Called by <c>UseAdaptivePool()</c>.</summary>
    /// <returns>
    /// A function to call when the pipeline is built. It throws if no request that passes here can have an endpoint, and returns whether only a request can
    /// show that.
    /// </returns>
    public Func<bool> Use(IApplicationBuilder app)
    {
        _places++;
        app.Properties[UsedKey] = true;
        var isRouted = app.Properties.ContainsKey(RoutingKey);

        // A main pipeline is one of these two kinds. UseWhen() and Map() make another one.
        var isBranch = !(app is IEndpointRouteBuilder || ReferenceEquals(app, _main));

        // Of all known sources, only those of this pipeline's routing count, not those of a branch that routes by itself.
        var isBehindEndpoints = !isBranch
            && app.Properties.TryGetValue(RoutingKey, out var routing) && routing is IEndpointRouteBuilder routes
            && app.ApplicationServices.GetService<EndpointDataSource>() is CompositeEndpointDataSource known
            && known.DataSources.Any(routes.DataSources.Contains);
        return () =>
        {
            // Pipelines are built from their end, so a place after routing has run this before. A WebApplication that routes by itself does so before
            // everything, and leaves no key here.
            var isBefore = !isRouted && app.Properties.ContainsKey(RoutingKey);
            if (!isBefore && !isBehindEndpoints)
            {
                _isUsedAfterRouting |= isRouted || !isBranch || !IsRoutedByHand;
            }
            else if (isBefore && !_isUsedAfterRouting && hosting.Value.Enabled)
            {
                throw new InvalidOperationException(
                    "UseAdaptivePool() is called before UseRouting(), where no request has an endpoint yet: "
                    + "call 'app.UseAdaptivePool()' after 'app.UseRouting()'.");
            }

            _isUsedBehindEndpoints |= isBehindEndpoints;
            if (!isBranch && !isBefore && !isBehindEndpoints)
            {
                _isUsedOnMain = true;
                _mainRoutes = app as IEndpointRouteBuilder ?? (app.Properties.TryGetValue(RoutingKey, out var own) ? own as IEndpointRouteBuilder : null);
            }

            return isBranch && !isRouted && IsRoutedByHand && !_isUsedAfterRouting;
        };
    }
}
