using AdaptivePool.Hosting.Logging;

namespace AdaptivePool.Hosting.Requests;

/// <summary>
/// Makes an endpoint that specifies where its requests run log once when a request reaches it without passing the pool. It is active only if nothing on the
/// main pipeline brings requests to the pool, or if a branch routes by itself. Otherwise it costs requests nothing.
/// </summary>
internal sealed partial class PooledEndpointSelector(RequestStartupFilter places, ILogger<AdaptivePoolMiddleware> logger) : CheckingEndpointSelector
{
    private readonly RequestLogger _logger = new(logger);

    protected override bool IsActive => places.MayBeMissed;

    protected override bool Needs(Endpoint endpoint) =>
        places.MayBeMissed && !EndpointClassRule.IsDisabled(endpoint.Metadata) && places.NeedsPlace(endpoint);

    protected override RequestDelegate Check(Endpoint endpoint, RequestDelegate run)
    {
        var told = 0;
        return context => told == 0 && context.Features.Get<RequestTarget>() is null ? RunAndLookAsync(context) : run(context);

        // Looks afterwards: the place may stand in a pipeline that the endpoint runs itself.
        async Task RunAndLookAsync(HttpContext context)
        {
            try
            {
                await run(context);
            }
            finally
            {
                // One of several requests logs it. The mark publishes nothing else, so it pairs with nothing.
                if (context.Features.Get<RequestTarget>() is null && Interlocked.Exchange(ref told, 1) == 0)
                {
                    LogMissed(_logger, endpoint.DisplayName ?? "");
                }
            }
        }
    }

    [LoggerMessage(
        19,
        LogLevel.Warning,
        "The endpoint '{Endpoint}' is to run on the AdaptivePool, but a request reached it without passing UseAdaptivePool(). Such requests run on the "
            + "runtime's thread pool. Call 'app.UseAdaptivePool()' after 'app.UseRouting()', in the branch of the endpoint or before all branches.",
        EventName = "Missed")]
    private static partial void LogMissed(ILogger logger, string endpoint);
}
