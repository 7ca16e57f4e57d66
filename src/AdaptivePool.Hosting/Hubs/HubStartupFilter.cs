namespace AdaptivePool.Hosting.Hubs;

/// <summary>Bounds the queues that methods of hubs bound, when the application starts. Refused: methods and endpoints of one class that differ.</summary>
internal sealed class HubStartupFilter(HubPlaces places) : IStartupFilter
{
    public Action<IApplicationBuilder> Configure(Action<IApplicationBuilder> next) => app =>
    {
        next(app);
        foreach (var endpoint in app.ApplicationServices.GetService<EndpointDataSource>()?.Endpoints ?? [])
        {
            places.Bound(endpoint);
        }
    };
}
