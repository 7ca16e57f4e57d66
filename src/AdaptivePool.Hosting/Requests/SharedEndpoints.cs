namespace AdaptivePool.Hosting.Requests;

/// <summary>
/// Lets routing use the list of endpoints that the checks at the start have built. Routing keeps a list of its own, and sources of minimal endpoints build
/// these anew, with all their code, for each list.
/// </summary>
/// <param name="app">The server's pipeline, before the application has added to it.</param>
internal sealed class SharedEndpoints(IApplicationBuilder app)
{
    private ICollection<EndpointDataSource>? _sources;
    private EndpointDataSource[] _own = [];

    /// <summary>For the end of the pipeline. It is built first, when the application has added all of its endpoints, and before routing takes its list.
    /// </summary>
    public RequestDelegate Begin(RequestDelegate end)
    {
        // Not where some endpoints are those of a branch that routes by itself: the application's routing must not find them.
        if (app.Properties.TryGetValue(RequestStartupFilter.RoutingKey, out var routing) && routing is IEndpointRouteBuilder { DataSources: { } sources }
            && app.ApplicationServices.GetService<EndpointDataSource>() is CompositeEndpointDataSource all && all.DataSources.SequenceEqual(sources))
        {
            _own = [.. sources];
            _sources = sources;
            sources.Clear();
            sources.Add(all);
        }

        return end;
    }

    /// <summary>For the begin of the pipeline. It is built last: the application finds its sources as it has left them.</summary>
    public RequestDelegate End(RequestDelegate start)
    {
        if (_sources is { } sources)
        {
            sources.Clear();
            Array.ForEach(_own, sources.Add);
        }

        return start;
    }
}
