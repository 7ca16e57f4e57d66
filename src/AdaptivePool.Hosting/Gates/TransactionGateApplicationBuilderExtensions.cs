using AdaptivePool.Hosting.Gates;

namespace Microsoft.AspNetCore.Builder;

/// <summary>Leads requests through their transaction gates.</summary>
public static class TransactionGateApplicationBuilderExtensions
{
    /// <summary>
    /// Requests of endpoints that require a gate enter it here, and what follows runs inside. <c>UseAdaptivePool()</c> does this by itself, just before its
    /// hop, so that a request that waits holds no worker; call this where requests do not run on the pool, after <c>UseRouting()</c> where that is called
    /// explicitly: an endpoint that requires a gate throws when a request reaches it without having passed here. A request enters its gate once, however often
    /// it comes by.
    /// </summary>
    /// <remarks>
    /// A request that may not enter gets 503 (waited too long, the gate was closed) or 429 (too many wait already), with Retry-After where coming again makes
    /// sense. When the client goes away while it waits, its place is free again; when it goes away later, the permit comes back when the endpoint ends.
    /// </remarks>
    /// <param name="app">The application.</param>
    /// <returns><paramref name="app"/>, for further calls.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="app"/> is null.</exception>
    /// <exception cref="InvalidOperationException"><c>AddTransactionGate()</c> was not called on the application's services.</exception>
    public static IApplicationBuilder UseTransactionGates(this IApplicationBuilder app)
    {
        ArgumentNullException.ThrowIfNull(app);
        if (app.ApplicationServices.GetService<GateCatalog>() is not { Names.Count: > 0 } catalog)
        {
            throw new InvalidOperationException(
                "UseTransactionGates() needs a gate. Call 'builder.Services.AddTransactionGate(NAME)' before the application is built.");
        }

        catalog.IsUsed = true;
        return app.Use(next => new GateMiddleware(
            next, app.ApplicationServices, app.ApplicationServices.GetRequiredService<ILogger<GateMiddleware>>()).InvokeAsync);
    }
}
