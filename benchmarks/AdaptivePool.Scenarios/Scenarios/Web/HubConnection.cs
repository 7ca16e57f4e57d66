using System.Net.WebSockets;
using System.Text;

namespace AdaptivePool.Scenarios.Scenarios.Web;

/// <summary>A SignalR connection in its JSON protocol over a WebSocket.</summary>
public sealed class HubConnection : IDisposable
{
    private const char End = '\x1e';
    private readonly ClientWebSocket _socket = new();
    private readonly byte[] _buffer = new byte[4_096];

    /// <summary>Connects and shakes hands.</summary>
    public async Task ConnectAsync(Uri server, CancellationToken cancellationToken)
    {
        await _socket.ConnectAsync(new UriBuilder(server) { Scheme = "ws", Path = WebServer.Hub }.Uri, cancellationToken);
        await SendAsync("{\"protocol\":\"json\",\"version\":1}", cancellationToken);
        await ReceiveAsync("{}", cancellationToken);
    }

    /// <summary>Lets the hub sleep, and waits for it.</summary>
    /// <returns>Whether the hub answered without an error.</returns>
    public async Task<bool> SleepAsync(int milliseconds, CancellationToken cancellationToken)
    {
        await SendAsync($"{{\"type\":1,\"invocationId\":\"1\",\"target\":\"Sleep\",\"arguments\":[{milliseconds}]}}", cancellationToken);
        return (await ReceiveAsync("\"type\":3", cancellationToken)).Contains("\"result\"", StringComparison.Ordinal);
    }

    /// <inheritdoc/>
    public void Dispose() => _socket.Dispose();

    private async Task SendAsync(string message, CancellationToken cancellationToken) =>
        await _socket.SendAsync(Encoding.UTF8.GetBytes(message + End), WebSocketMessageType.Text, endOfMessage: true, cancellationToken);

    /// <summary>The first message with this text; pings come in between.</summary>
    private async Task<string> ReceiveAsync(string text, CancellationToken cancellationToken)
    {
        while (true)
        {
            WebSocketReceiveResult received = await _socket.ReceiveAsync(_buffer, cancellationToken);
            string message = Encoding.UTF8.GetString(_buffer, 0, received.Count);
            if (received.MessageType == WebSocketMessageType.Close || message.Contains(text, StringComparison.Ordinal))
            {
                return message;
            }
        }
    }
}
