using AdaptivePool.Hosting.Gates;
using AdaptivePool.Hosting.Logging;

namespace Microsoft.AspNetCore.Builder;

/// <summary>Makes requests enter their transaction gates.</summary>
public static class TransactionGateApplicationBuilderExtensions
{
    /// <summary>
    /// Makes requests of endpoints that require a gate enter it at this point of the pipeline; the rest of the pipeline runs inside the gate.
    /// <c>UseAdaptivePool()</c> does this automatically, just before the request moves to a worker, so that a request that waits holds no worker. Call this
    /// method if requests do not run on the pool, and after <c>UseRouting()</c> if you call that explicitly. An endpoint that requires a gate throws if a
    /// request reaches it without passing this middleware. A request enters its gate once, however often it passes here. If it passes here again as an
    /// endpoint of another gate, because middleware runs it once more, it enters that gate, too.
    /// </summary>
    /// <remarks>
    /// A request that may not enter gets the status 503 (it waited too long, or the gate was closed) or 429 (too many requests wait already), with Retry-After
    /// if it makes sense to try again. If the client disconnects while the request waits, its place becomes free. If the client disconnects later, the permit
    /// is returned when the endpoint ends. A request that an administrator cancels inside the gate gets 503, even if an exception handler behind the gate made
    /// 499 of it. It does not if its response has started, for example because middleware behind the gate wrote a page for the status 499.
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
            next, app.ApplicationServices, new RequestLogger(app.ApplicationServices.GetRequiredService<ILogger<GateMiddleware>>())).InvokeAsync);
    }
}
