using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Routing;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Options;

namespace AdaptivePool.Hosting.Requests;

/// <summary>Refuses to start an application whose endpoints name work classes while nothing brings requests to the pool: the metadata would silently do nothing.</summary>
internal sealed class MissingMiddlewareFilter : IStartupFilter
{
    /// <summary>Set by <c>UseAdaptivePool()</c>.</summary>
    public bool MiddlewareIsUsed { get; set; }

    public Action<IApplicationBuilder> Configure(Action<IApplicationBuilder> next) => app =>
    {
        next(app);

        // The endpoints are looked at only where something may be wrong, because looking at them builds them all.
        if (MiddlewareIsUsed || !app.ApplicationServices.GetRequiredService<IOptions<AdaptivePoolHostingOptions>>().Value.Enabled)
        {
            return;
        }

        var endpoints = app.ApplicationServices.GetService<EndpointDataSource>()?.Endpoints ?? [];
        var lost = endpoints.FirstOrDefault(static endpoint => endpoint.Metadata.GetMetadata<RunOnAdaptivePoolAttribute>() is not null);
        if (lost is not null)
        {
            throw new InvalidOperationException($"The endpoint '{lost.DisplayName}' shall run on the AdaptivePool, but the request pipeline does not contain it. Call 'app.UseAdaptivePool()' before the application starts.");
        }
    };
}
