using System.Globalization;

namespace AdaptivePool.Hosting.Requests;

/// <summary>The HTTP answer to a request that is not run, whoever refuses it: a gate or a work class.</summary>
internal static class RefusalAnswer
{
    /// <summary>Sets status and Retry-After.</summary>
    /// <param name="context">The request.</param>
    /// <param name="status">The status.</param>
    /// <param name="retryAfter">When coming again makes sense; null when never.</param>
    public static void Write(HttpContext context, int status, TimeSpan? retryAfter)
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
