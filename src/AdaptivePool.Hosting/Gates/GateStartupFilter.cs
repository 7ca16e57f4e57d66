using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Routing;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.DependencyInjection.Extensions;

namespace AdaptivePool.Hosting.Gates;

/// <summary>
/// Refuses to start an application whose endpoints require a gate that does not exist, or that nothing leads them through: the database would silently be
/// unprotected.
/// </summary>
internal sealed class GateStartupFilter : IStartupFilter
{
    /// <summary>Adds the checks of endpoints that require gates, once; also where no gate was added, because that is what they find.</summary>
    public static void Register(IServiceCollection services)
    {
        services.TryAddEnumerable(ServiceDescriptor.Singleton<IStartupFilter, GateStartupFilter>());
        services.TryAddEnumerable(ServiceDescriptor.Singleton<MatcherPolicy, GatedEndpointSelector>());
    }

    public Action<IApplicationBuilder> Configure(Action<IApplicationBuilder> next) => app =>
    {
        next(app);
        foreach (var endpoint in app.ApplicationServices.GetService<EndpointDataSource>()?.Endpoints ?? [])
        {
            if (endpoint.Metadata.GetMetadata<RequireTransactionGateAttribute>() is not { } required)
            {
                continue;
            }

            if (!GateCatalog.Find(app.ApplicationServices, required.GateName, endpoint.DisplayName).IsUsed)
            {
                throw new InvalidOperationException(
                    $"The endpoint '{endpoint.DisplayName}' requires the transaction gate '{required.GateName}', "
                    + "but the request pipeline leads through none. Call 'app.UseAdaptivePool()' or 'app.UseTransactionGates()' before the "
                    + "application starts.");
            }
        }
    };
}
