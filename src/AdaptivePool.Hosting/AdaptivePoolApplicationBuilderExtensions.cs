using AdaptivePool;
using AdaptivePool.Hosting.Gates;

namespace Microsoft.AspNetCore.Builder;

/// <summary>Adds the pool to the request pipeline.</summary>
public static class AdaptivePoolApplicationBuilderExtensions
{
    /// <summary>
    /// Runs requests on the application's <see cref="AdaptiveThreadPool"/> from this point of the pipeline on. Requests return to the pool after each await.
    /// Each endpoint is a work class with its own limit, named by its HTTP methods and route pattern, such as "GET /accounts/{id}". Requests without an
    /// endpoint share the pool's default class. Middleware before this one starts on the runtime's pool. In a <see cref="WebApplication"/> routing runs before
    /// it automatically. If you call <c>UseRouting()</c> explicitly, call this method after it and before <c>UseEndpoints()</c>; otherwise the application does
    /// not start.
    /// </summary>
    /// <remarks>
    /// Code after <c>await ….ConfigureAwait(false)</c> and bodies of <c>Task.Run</c> run on the runtime's pool, as those calls specify. With
    /// AdaptivePool:Enabled=false this method adds nothing. The pool is disposed after the server has stopped; a later request runs on the runtime's pool.
    /// Where this method is called in branches of the pipeline only, or where a branch calls <c>UseRouting()</c> itself, an endpoint that says where its
    /// requests run logs one warning when a request reaches it without passing this method.
    /// </remarks>
    /// <param name="app">The application.</param>
    /// <returns><paramref name="app"/>, for further calls.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="app"/> is null.</exception>
    /// <exception cref="InvalidOperationException"><c>AddAdaptivePool()</c> was not called on the application's services.</exception>
    public static IApplicationBuilder UseAdaptivePool(this IApplicationBuilder app)
    {
        ArgumentNullException.ThrowIfNull(app);
        if (app.ApplicationServices.GetService<RequestStartupFilter>() is not { } filter)
        {
            throw new InvalidOperationException(
                "UseAdaptivePool() needs the services of AddAdaptivePool(). Call 'builder.Services.AddAdaptivePool()' before the application is built.");
        }

        var check = filter.Use(app);

        // Before the hop: a request that waits at a gate holds no worker. With the kill switch set the gates stay: what they protect is not the pool.
        if (app.ApplicationServices.GetService<GateCatalog>() is { Names.Count: > 0 })
        {
            app.UseTransactionGates();
        }

        // Deferred to the moment the pipeline is built: the host has validated the options by then, and reports bad ones itself.
        return app.Use(next =>
        {
            var mayBeBeforeRouting = check();
            return AdaptivePoolMiddleware.Create(app.ApplicationServices, next, mayBeBeforeRouting);
        });
    }
}
