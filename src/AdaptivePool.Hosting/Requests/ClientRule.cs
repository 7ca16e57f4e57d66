using AdaptivePool.Admission;
using Microsoft.AspNetCore.Http.Timeouts;

namespace AdaptivePool.Hosting.Requests;

/// <summary>Whether the client of a request has gone.</summary>
internal static class ClientRule
{
    /// <summary>
    /// Whether the request was aborted, and by nobody but its client. The timeout of a request and the administrator of its gate cancel the same token; then
    /// the client waits for what is answered by those who catch the cancellation.
    /// </summary>
    public static bool HasGone(HttpContext context) =>
        context.RequestAborted.IsCancellationRequested
        && context.Features.Get<IHttpRequestTimeoutFeature>() is not { RequestTimeoutToken.IsCancellationRequested: true }
        && context.Features.Get<TransactionLease>() is not { CancellationToken.IsCancellationRequested: true };
}
