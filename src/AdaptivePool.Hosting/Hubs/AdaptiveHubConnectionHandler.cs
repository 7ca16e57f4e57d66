using System.Diagnostics.CodeAnalysis;
using System.IO.Pipelines;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Http.Connections;

namespace AdaptivePool.Hosting.Hubs;

/// <summary>Runs the loop of each connection of a hub on the pool, with any transport. The framework starts the loop on the runtime's pool.</summary>
internal sealed class AdaptiveHubConnectionHandler<
    [DynamicallyAccessedMembers(DynamicallyAccessedMemberTypes.PublicConstructors | DynamicallyAccessedMemberTypes.PublicMethods)] THub>
    : HubConnectionHandler<THub>
    where THub : Hub
{
    private readonly HubPlaces _places;
    private readonly ConnectionDelegate _run;

    public AdaptiveHubConnectionHandler(
        HubLifetimeManager<THub> lifetimeManager,
        IHubProtocolResolver protocolResolver,
        IOptions<HubOptions> globalHubOptions,
        IOptions<HubOptions<THub>> hubOptions,
        ILoggerFactory loggerFactory,
        IUserIdProvider userIdProvider,
        IServiceScopeFactory serviceScopeFactory,
        HubPlaces places)
        : base(lifetimeManager, protocolResolver, globalHubOptions, hubOptions, loggerFactory, userIdProvider, serviceScopeFactory)
    {
        _places = places;
        _run = base.OnConnectedAsync;

        // Checked here, because MapHub() creates the handlers: the application does not start.
        places.Check(typeof(THub));
    }

    public override Task OnConnectedAsync(ConnectionContext connection)
    {
        if (_places.Get(typeof(THub), connection.GetHttpContext()?.GetEndpoint()) is not { } place)
        {
            return _run(connection);
        }

        connection.Features.Set(place);
        connection.Transport = new Transport(new MessageReader(connection.Transport.Input, place.Loop), connection.Transport.Output);
        return HubWorkItem.ContinueAsync(place.Loop, () => _run(connection));
    }

    private sealed record Transport(PipeReader Input, PipeWriter Output) : IDuplexPipe;
}
