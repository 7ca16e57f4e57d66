using System.Globalization;
using AdaptivePool.Admission;
using Microsoft.AspNetCore.Http.Timeouts;

namespace AdaptivePool.Hosting.Requests;

/// <summary>How a request ends that is not run: its client has gone, or a gate or a work class refuses it.</summary>
internal static class RequestEnd
{
    /// <summary>
    /// Whether the request was aborted, and by nobody but its client. The timeout of a request and the administrator of its gate cancel the same token; then
    /// the client waits for what is answered by those who catch the cancellation.
    /// </summary>
    public static bool HasGone(HttpContext context) =>
        context.RequestAborted.IsCancellationRequested
        && context.Features.Get<IHttpRequestTimeoutFeature>() is not { RequestTimeoutToken.IsCancellationRequested: true }
        && context.Features.Get<TransactionLease>() is not { CancellationToken.IsCancellationRequested: true };

    /// <summary>Sets status and Retry-After.</summary>
    /// <param name="context">The request.</param>
    /// <param name="status">The status.</param>
    /// <param name="retryAfter">When coming again makes sense; null when never.</param>
    public static void Refuse(HttpContext context, int status, TimeSpan? retryAfter)
    {
        context.Response.StatusCode = status;
        if (retryAfter is { } time)
        {
            context.Response.Headers.RetryAfter = Seconds(time).ToString(CultureInfo.InvariantCulture);
        }
    }

    /// <summary>The header has whole seconds: rounded up, since too early is refused again; at least one.</summary>
    public static int Seconds(TimeSpan retryAfter) => Math.Max(1, (int)Math.Ceiling(retryAfter.TotalSeconds));
}
