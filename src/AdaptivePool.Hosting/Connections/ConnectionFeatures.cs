using Microsoft.AspNetCore.Http.Features;

namespace AdaptivePool.Hosting.Connections;

/// <summary>
/// Gives out the server's stream of an upgraded connection (WebSockets over HTTP/1.1 and HTTP/2) as a <see cref="ConnectionStream"/>.
/// </summary>
internal static class ConnectionFeatures
{
    public static RequestDelegate Create(RequestDelegate next) => context =>
    {
        if (context.Features.Get<IHttpUpgradeFeature>() is { IsUpgradableRequest: true } upgrade)
        {
            context.Features.Set<IHttpUpgradeFeature>(new Upgrade(upgrade));
        }
        else if (context.Features.Get<IHttpExtendedConnectFeature>() is { IsExtendedConnect: true } connect)
        {
            context.Features.Set<IHttpExtendedConnectFeature>(new ExtendedConnect(connect));
        }

        return next(context);
    };

    /// <summary>Whether a request may become a WebSocket, over HTTP/1.1 or HTTP/2.</summary>
    public static bool IsTunnel(HttpContext context) =>
        context.Features.Get<IHttpUpgradeFeature>() is { IsUpgradableRequest: true }
        || context.Features.Get<IHttpExtendedConnectFeature>() is { IsExtendedConnect: true };

    private sealed class Upgrade(IHttpUpgradeFeature inner) : IHttpUpgradeFeature
    {
        public bool IsUpgradableRequest => inner.IsUpgradableRequest;

        public async Task<Stream> UpgradeAsync() => new ConnectionStream(await inner.UpgradeAsync());
    }

    private sealed class ExtendedConnect(IHttpExtendedConnectFeature inner) : IHttpExtendedConnectFeature
    {
        public bool IsExtendedConnect => inner.IsExtendedConnect;

        public string? Protocol => inner.Protocol;

        public async ValueTask<Stream> AcceptAsync() => new ConnectionStream(await inner.AcceptAsync());
    }
}
