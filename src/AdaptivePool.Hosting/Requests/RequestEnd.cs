using System.Globalization;
using Microsoft.AspNetCore.Connections.Features;
using Microsoft.AspNetCore.Diagnostics;

namespace AdaptivePool.Hosting.Requests;

/// <summary>Ends requests that are not run: the client has gone, or a gate or a work class refuses the request.</summary>
internal static class RequestEnd
{
    /// <summary>
    /// Whether a request that was aborted has lost its connection, so that no client waits for a response. Timeouts of a middleware and the administrator of a
    /// gate cancel the same token, and over HTTP/2 a client may cancel a single request: then the code that catches the cancellation decides how the request
    /// ends.
    /// </summary>
    public static bool HasGone(HttpContext context) =>
        context.Features.Get<IConnectionLifetimeFeature>() is { ConnectionClosed.IsCancellationRequested: true };

    /// <summary>
    /// Ends a request whose client has gone before it ran. No client reads the response, and the status is for the access log. A response that has started
    /// keeps its own status.
    /// </summary>
    public static void Drop(HttpContext context)
    {
        context.Features.Set(Dropped.Mark);
        if (!context.Response.HasStarted)
        {
            context.Response.StatusCode = StatusCodes.Status499ClientClosedRequest;
        }
    }

    /// <summary>Whether the request was dropped: no client would read the page of its status either.</summary>
    public static bool IsDropped(HttpContext context) => context.Features.Get<Dropped>() is not null;

    /// <summary>
    /// Whether middleware runs a request once more, for the page of its error. False if a gate or a work class has refused the request itself: it has not run,
    /// so its page is new work. Otherwise load that is refused would run all the same.
    /// </summary>
    public static bool IsRunAgain(HttpContext context) =>
        (context.Features.Get<IExceptionHandlerFeature>() is not null || context.Features.Get<IStatusCodeReExecuteFeature>() is not null)
        && context.Features.Get<Refused>() is null;

    /// <summary>Sets status and Retry-After. If the page of a refused request is refused too, the response to the request itself stays.</summary>
    /// <param name="context">The request.</param>
    /// <param name="status">The status.</param>
    /// <param name="retryAfter">The time after which a retry makes sense; null if none does.</param>
    public static void Refuse(HttpContext context, int status, TimeSpan? retryAfter)
    {
        if (context.Features.Get<Refused>() is not null && context.Response.StatusCode >= StatusCodes.Status400BadRequest)
        {
            return;
        }

        context.Features.Set(Refused.Mark);
        context.Response.StatusCode = status;
        if (retryAfter is { } time)
        {
            context.Response.Headers.RetryAfter = Seconds(time).ToString(CultureInfo.InvariantCulture);
        }
    }

    /// <summary>The header has whole seconds. The value is rounded up, because a retry that comes too early is refused again, and is at least one.</summary>
    public static int Seconds(TimeSpan retryAfter) => Math.Max(1, (int)Math.Ceiling(retryAfter.TotalSeconds));

    /// <summary>A feature of a request that was dropped.</summary>
    private sealed class Dropped
    {
        public static readonly Dropped Mark = new();
    }

    /// <summary>A feature of a request that was refused.</summary>
    private sealed class Refused
    {
        public static readonly Refused Mark = new();
    }
}
