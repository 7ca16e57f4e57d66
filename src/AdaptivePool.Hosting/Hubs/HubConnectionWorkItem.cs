using AdaptivePool.Hosting.Requests;
using Microsoft.AspNetCore.Connections;

namespace AdaptivePool.Hosting.Hubs;

/// <summary>The loop of a hub's connection: handshake, messages, end.</summary>
internal sealed class HubConnectionWorkItem(ConnectionDelegate run, ConnectionContext connection, BlockingAction? onBlocking) : ServerWorkItem(onBlocking)
{
    protected override Task Begin() => run(connection);
}
