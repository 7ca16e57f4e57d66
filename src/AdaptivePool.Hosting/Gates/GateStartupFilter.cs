using AdaptivePool.Hosting.Connections;
using AdaptivePool.Hosting.Requests;

namespace AdaptivePool.Hosting.Gates;

/// <summary>
/// Refuses to start an application whose endpoints require a gate that does not exist, or that their requests do not pass: the database would silently be
/// unprotected.
/// </summary>
internal sealed class GateStartupFilter : IStartupFilter
{
    /// <summary>
    /// Adds the checks of the section and of endpoints that require gates, once. They are also added if no gate was added, because that is what they find.
    /// </summary>
    /// <returns>The application's gates.</returns>
    public static GateCatalog Register(IServiceCollection services)
    {
        if (services.FirstOrDefault(static descriptor => descriptor.ServiceType == typeof(GateCatalog))?.ImplementationInstance is GateCatalog known)
        {
            return known;
        }

        var catalog = new GateCatalog();
        services.AddLogging();
        services.AddSingleton(catalog);
        services.ConfigureOptions<GateSection>();
        services.AddSingleton<IPostConfigureOptions<TransactionGateOptions>>(static _ => new UniqueNames<TransactionGateOptions>(
            static (key, options) => key.Length == 0 ? null : options.Name, Rename));
        services.AddOptions<TransactionGateOptions>().ValidateOnStart();
        services.AddSingleton<ConnectionEndpoints>();
        services.AddSingleton<IStartupFilter, GateStartupFilter>();
        services.AddSingleton<MatcherPolicy, GatedEndpointSelector>();
        return catalog;
    }

    public Action<IApplicationBuilder> Configure(Action<IApplicationBuilder> next) => app =>
    {
        var shared = new SharedEndpoints(app);
        app.Use(start =>
        {
            shared.End();
            Check(app.ApplicationServices);
            return start;
        });
        next(app);
        app.Use(shared.Begin);
    };

    // Runs when the pipeline is built: other filters may have mapped endpoints after the application has.
    private static void Check(IServiceProvider services)
    {
        foreach (var endpoint in services.GetService<EndpointDataSource>()?.Endpoints ?? [])
        {
            if (endpoint.Metadata.Find<RequireTransactionGateAttribute>() is not { } required)
            {
                continue;
            }

            EndpointClassRule.Check(required, EndpointClassRule.Words(endpoint));
            if (!GateCatalog.Find(services, required.GateName, endpoint.DisplayName).IsUsed)
            {
                throw new InvalidOperationException(
                    $"The endpoint '{endpoint.DisplayName}' requires the transaction gate '{required.GateName}', "
                    + "but the request pipeline enters no gates. Call 'app.UseAdaptivePool()' or 'app.UseTransactionGates()' before the "
                    + "application starts.");
            }

            if (EndpointClassRule.IsShortCircuit(endpoint.Metadata))
            {
                throw new InvalidOperationException(
                    $"The endpoint '{endpoint.DisplayName}' requires the transaction gate '{required.GateName}', but it has ShortCircuit(), and routing "
                    + "runs it before the pipeline enters gates. Remove one of the two.");
            }
        }
    }

    // In metrics, gates of one name in a process get different names. For a fleet, they are one gate, wherever they are.
    private static void Rename(TransactionGateOptions options, string unique)
    {
        if (options.Fleet is { } fleet && options.Name != unique)
        {
            options.Fleet = new NamedFleet(fleet, options.Name);
        }

        options.Name = unique;
    }

    /// <summary>A fleet in which a gate has the name that the user gave it, whatever it is called in this process.</summary>
    /// <param name="fleet">The fleet.</param>
    /// <param name="name">The name that the user gave.</param>
    private sealed class NamedFleet(IGateFleet fleet, string name) : IGateFleet
    {
        public IGateFleetMember Join(string gate) => fleet.Join(name);
    }
}
