using Microsoft.AspNetCore.Connections.Features;
using Microsoft.Extensions.Primitives;
using Yarp.ReverseProxy.Forwarder;

namespace AdaptivePool.Yarp;

/// <summary>Chooses a destination before YARP does, because it may wait: YARP's own policies return at once. A request whose destination could not be
/// connected to goes to another destination: no part of it had been sent.</summary>
internal sealed class CollaborativeMiddleware(RequestDelegate next, ClusterBalancers balancers)
{
    public async Task InvokeAsync(HttpContext context)
    {
        IReverseProxyFeature feature = context.GetReverseProxyFeature();
        if (balancers.Find(context) is not { } balancer || feature.AvailableDestinations.Count == 0)
        {
            await next(context);
            return;
        }

        if (context.Features.Get<SentRequest>() is { IsEnded: false } chosen)
        {
            // Chosen by YARP, or by an earlier middleware of this kind. Otherwise its destination would be charged for two requests.
            if (chosen.IsAskedByYarp)
            {
                balancers.Log.TellOrder();
            }

            await next(context);
            return;
        }

        IReadOnlyList<DestinationState> left = feature.AvailableDestinations;
        bool hasTimedOut = false;

        // Only a second attempt needs them, and with a single destination there is none.
        KeyValuePair<string, StringValues>[] headers = left.Count > 1 ? [.. context.Response.Headers] : [];
        while (true)
        {
            DestinationState? destination;
            try
            {
                destination = await balancer.PickAsync(context, left, balancers.Options);
            }
            catch (OperationCanceledException) when (context.Features.Get<IConnectionLifetimeFeature>() is { ConnectionClosed.IsCancellationRequested: true })
            {
                // The client has disconnected. In other cases the code that has cancelled the request decides how it ends, such as the timeout of its route.
                context.Response.StatusCode = StatusCodes.Status499ClientClosedRequest;
                return;
            }

            if (destination is null)
            {
                context.Response.StatusCode = StatusCodes.Status503ServiceUnavailable;
                return;
            }

            // YARP asks no policy about a single destination.
            feature.AvailableDestinations = [destination];
            bool isUnsent;
            try
            {
                await next(context);
            }
            finally
            {
                // Also after an exception: code that sends the request once more chooses again.
                isUnsent = ClusterBalancer.End(context);
            }

            if (!isUnsent || left.Count == 1 || context.Response.HasStarted)
            {
                return;
            }

            bool isSilent = ClusterBalancer.IsSilent(context);
            if (isSilent && hasTimedOut)
            {
                // A client waits for at most two such timeouts: where all destinations have vanished without a response the request would wait for each of
                // them.
                return;
            }

            hasTimedOut |= isSilent;
            left = [.. left.Where(it => it != destination)];
            Forget(context, headers);
        }
    }

    /// <summary>Restores the response to its state before the failed attempt, which may have written headers before it failed: a transform or the session's
    /// affinity writes its cookie also where there was no connection. The response of the other destination would have both cookies.</summary>
    /// <param name="context">The request.</param>
    /// <param name="headers">The headers of its response before the first attempt.</param>
    private static void Forget(HttpContext context, KeyValuePair<string, StringValues>[] headers)
    {
        context.Features.Set<IForwarderErrorFeature>(null);
        context.Response.StatusCode = StatusCodes.Status200OK;
        context.Response.Headers.Clear();
        foreach ((string name, StringValues values) in headers)
        {
            context.Response.Headers[name] = values;
        }
    }
}
