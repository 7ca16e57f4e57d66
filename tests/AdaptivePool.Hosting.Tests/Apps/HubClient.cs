using System.Diagnostics;
using System.Net.Http.Json;
using System.Net.WebSockets;
using System.Text;
using System.Text.Json;
using System.Threading.Channels;
using Shouldly;

namespace AdaptivePool.Hosting.Tests.Apps;

/// <summary>Speaks SignalR's protocol in JSON, over each of its transports. One caller at a time.</summary>
internal sealed class HubClient : IAsyncDisposable
{
    public const string WebSockets = "WebSockets";
    public const string ServerSentEvents = "ServerSentEvents";
    public const string LongPolling = "LongPolling";

    private const char End = '\x1e';
    private const int Completion = 3;
    private const int StreamItem = 2;
    private const int Ping = 6;

    private readonly Channel<JsonElement> _received = Channel.CreateUnbounded<JsonElement>();
    private readonly CancellationTokenSource _patience = new(TestApp.Patience);
    private readonly StringBuilder _partial = new();
    private readonly Func<string, Task> _send;
    private readonly IDisposable _connection;
    private readonly Func<Task> _close;
    private int _calls;

    private HubClient(IDisposable connection, Func<HubClient, Task> receive, Func<string, Task> send, Func<Task> close)
    {
        _connection = connection;
        _send = send;
        _close = close;
        _ = ReceiveAsync(receive);
    }

    public static async Task<HubClient> ConnectAsync(TestApp app, string transport = WebSockets, string path = "/hub")
    {
        var client = transport == WebSockets ? await OverWebSocketAsync(app, path) : await OverHttpAsync(app, path, transport);
        await client._send("{\"protocol\":\"json\",\"version\":1}" + End);
        (await client.NextAsync()).TryGetProperty("error", out _).ShouldBeFalse();
        return client;
    }

    /// <summary>Calls a method and waits for its result, or its error.</summary>
    public async Task<string?> CallAsync(string method, params object[] arguments)
    {
        await SendCallAsync(1, method, arguments);
        return (await CompletionAsync()).Result;
    }

    /// <summary>Sends a call and does not wait.</summary>
    public Task<string> SendCallAsync(int type, string method, params object[] arguments) => SendCallAsync(type, [], method, arguments);

    /// <summary>Sends a call with streams from the client.</summary>
    public async Task<string> SendCallAsync(int type, string[] streamIds, string method, params object[] arguments)
    {
        var id = $"call-{++_calls}";
        await SendAsync(new { type, invocationId = id, target = method, arguments, streamIds });
        return id;
    }

    public Task SendAsync(object message) => _send(JsonSerializer.Serialize(message) + End);

    /// <summary>The next message that is no ping.</summary>
    public async Task<JsonElement> NextAsync()
    {
        while (true)
        {
            var message = await _received.Reader.ReadAsync(_patience.Token);
            if (!message.TryGetProperty("type", out var type) || type.GetInt32() != Ping)
            {
                return message;
            }
        }
    }

    /// <summary>The items of a stream until the call completes, and its result.</summary>
    public async Task<(List<string?> Items, string? Result)> CompletionAsync()
    {
        List<string?> items = [];
        while (true)
        {
            var message = await NextAsync();
            switch (message.GetProperty("type").GetInt32())
            {
                case StreamItem:
                    items.Add(message.GetProperty("item").ToString());
                    break;
                case Completion:
                    return (items, message.TryGetProperty("error", out var error) ? "error: " + error : message.TryGetProperty("result", out var result)
                        ? result.ToString() : null);
            }
        }
    }

    public async ValueTask DisposeAsync()
    {
        await _close();

        // Ends the stream of events, which outlives its HttpClient.
        await _patience.CancelAsync();
        _connection.Dispose();
        _patience.Dispose();
    }

    private static async Task<HubClient> OverWebSocketAsync(TestApp app, string path)
    {
        var socket = new ClientWebSocket();
        using var patience = new CancellationTokenSource(TestApp.Patience);
        await socket.ConnectAsync(new UriBuilder(app.Address) { Scheme = "ws", Path = path }.Uri, patience.Token);
        return new HubClient(
            socket,
            async client =>
            {
                var buffer = new byte[4096];
                while (await socket.ReceiveAsync(buffer, client._patience.Token) is { MessageType: WebSocketMessageType.Text } part)
                {
                    client.Add(Encoding.UTF8.GetString(buffer, 0, part.Count));
                }
            },
            text => socket.SendAsync(Encoding.UTF8.GetBytes(text), WebSocketMessageType.Text, endOfMessage: true, CancellationToken.None),
            () => socket.State == WebSocketState.Open ? socket.CloseOutputAsync(WebSocketCloseStatus.NormalClosure, null, CancellationToken.None)
                : Task.CompletedTask);
    }

    private static async Task<HubClient> OverHttpAsync(TestApp app, string path, string transport)
    {
        var http = new HttpClient(new SocketsHttpHandler { UseProxy = false }) { BaseAddress = app.Address, Timeout = TestApp.Patience };
        using var negotiated = await NegotiateAsync(http, new Uri($"{path}/negotiate?negotiateVersion=1", UriKind.Relative));
        var token = (await negotiated.Content.ReadFromJsonAsync<JsonElement>()).GetProperty("connectionToken").GetString();
        var address = new Uri($"{path}?id={token}", UriKind.Relative);
        if (transport == LongPolling)
        {
            // The first poll opens the connection.
            using var opened = await http.GetAsync(address);
            opened.EnsureSuccessStatusCode();
        }

        return new HubClient(
            http,
            client => transport == LongPolling ? PollAsync(client, http, address) : ListenAsync(client, http, address),
            async text =>
            {
                using var answer = await http.PostAsync(address, new StringContent(text));
                answer.EnsureSuccessStatusCode();
            },
            async () => (await http.DeleteAsync(address)).Dispose());
    }

    // A new connection is new work. It is refused where no more may wait, and what another connection does may have the only thread just then.
    private static async Task<HttpResponseMessage> NegotiateAsync(HttpClient http, Uri address)
    {
        for (var since = Stopwatch.GetTimestamp(); ;)
        {
            var answer = await http.PostAsync(address, null);
            if (answer.StatusCode != System.Net.HttpStatusCode.ServiceUnavailable || Stopwatch.GetElapsedTime(since) > TestApp.Patience)
            {
                return answer.EnsureSuccessStatusCode();
            }

            answer.Dispose();
            await Task.Delay(10);
        }
    }

    private static async Task PollAsync(HubClient client, HttpClient http, Uri address)
    {
        while (true)
        {
            using var answer = await http.GetAsync(address, client._patience.Token);
            if (answer.StatusCode != System.Net.HttpStatusCode.OK)
            {
                return;
            }

            client.Add(await answer.Content.ReadAsStringAsync());
        }
    }

    private static async Task ListenAsync(HubClient client, HttpClient http, Uri address)
    {
        using var request = new HttpRequestMessage(HttpMethod.Get, address);
        request.Headers.Accept.ParseAdd("text/event-stream");
        using var answer = await http.SendAsync(request, HttpCompletionOption.ResponseHeadersRead, client._patience.Token);
        using var reader = new StreamReader(await answer.Content.ReadAsStreamAsync());
        while (await reader.ReadLineAsync(client._patience.Token) is { } line)
        {
            if (line.StartsWith("data: ", StringComparison.Ordinal))
            {
                client.Add(line["data: ".Length..]);
            }
        }
    }

    private async Task ReceiveAsync(Func<HubClient, Task> receive)
    {
        try
        {
            await receive(this);
            _received.Writer.TryComplete();
        }
        catch (Exception exception)
        {
            _received.Writer.TryComplete(exception);
        }
    }

    private void Add(string text)
    {
        foreach (var c in text)
        {
            if (c != End)
            {
                _partial.Append(c);
                continue;
            }

            _received.Writer.TryWrite(JsonSerializer.Deserialize<JsonElement>(_partial.ToString()));
            _partial.Clear();
        }
    }
}
