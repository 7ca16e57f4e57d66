using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Routing;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Options;

namespace AdaptivePool.Hosting.Requests;

/// <summary>
/// Refuses to start an application whose endpoints name work classes while nothing brings requests to the pool, where the metadata would silently do nothing, or name a pool that does not exist.
/// </summary>
internal sealed class MissingMiddlewareFilter(PoolDirectory pools) : IStartupFilter
{
    /// <summary>Set by <c>UseAdaptivePool()</c>.</summary>
    public bool MiddlewareIsUsed { get; set; }

    public Action<IApplicationBuilder> Configure(Action<IApplicationBuilder> next) => app =>
    {
        next(app);

        if (!app.ApplicationServices.GetRequiredService<IOptions<AdaptivePoolHostingOptions>>().Value.Enabled)
        {
            return;
        }

        var endpoints = app.ApplicationServices.GetService<EndpointDataSource>()?.Endpoints ?? [];
        foreach (var endpoint in endpoints)
        {
            if (pools.Failure(EndpointClassRule.PoolName(endpoint), endpoint.DisplayName) is { } failure)
            {
                throw new InvalidOperationException(failure);
            }
        }

        var lost = MiddlewareIsUsed
            ? null
            : endpoints.FirstOrDefault(static endpoint => endpoint.Metadata.GetMetadata<RunOnAdaptivePoolAttribute>() is not null || endpoint.Metadata.GetMetadata<OnBlockingAttribute>() is not null);
        if (lost is not null)
        {
            throw new InvalidOperationException($"The endpoint '{lost.DisplayName}' shall run on the AdaptivePool, but the request pipeline does not contain it. Call 'app.UseAdaptivePool()' before the application starts.");
        }
    };
}
