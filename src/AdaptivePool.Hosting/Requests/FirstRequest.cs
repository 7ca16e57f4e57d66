using Microsoft.AspNetCore.Connections.Features;

namespace AdaptivePool.Hosting.Requests;

/// <summary>Tells the first request of a connection from the later ones: it leaves a mark among the items of the connection.</summary>
internal static class FirstRequest
{
    private static readonly object s_mark = new();

    /// <summary>
    /// Whether nobody has asked this of the connection before. False where the server knows of no connections, and over HTTP/3, where each request has items of
    /// its own.
    /// </summary>
    public static bool Is(HttpContext context)
    {
        if (HttpProtocol.IsHttp3(context.Request.Protocol) || context.Features.Get<IConnectionItemsFeature>() is not { } connection)
        {
            return false;
        }

        // Requests of one connection come at once over HTTP/2, and a connection makes its items when it is first asked for them, each caller its own. What runs
        // behind this place finds them made and marked.
        lock (connection)
        {
            return connection.Items is { } items && items.TryAdd(s_mark, null);
        }
    }
}
