using System.Collections.Concurrent;
using System.IO.Compression;
using System.Net;
using System.Net.WebSockets;
using System.Text;
using System.Text.RegularExpressions;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.TestHost;

namespace AdaptivePool.Hosting.Tests.Sameness;

/// <summary>Sends the requests of a scene, and puts what comes into words that are the same each time.</summary>
internal sealed partial class SceneClient : IDisposable
{
    private static readonly string[] s_volatileHeaders = ["Date", "Age", "traceparent"];

    private readonly ConcurrentDictionary<string, Trace> _traces;
    private readonly Version _version;
    private readonly TestServer? _server;
    private readonly Uri _address;
    private readonly HttpMessageInvoker _invoker;
    private readonly HttpMessageHandler _handler;

    public SceneClient(WebApplication app, Setting setting, ConcurrentDictionary<string, Trace> traces)
    {
        _traces = traces;
        _server = setting.Server == Setting.TestServer ? app.GetTestServer() : null;
        _version = _server is null ? Version.Parse(setting.Server) : HttpVersion.Version11;
        _address = _server?.BaseAddress ?? new Uri(app.Urls.First());
        _handler = _server?.CreateHandler() ?? new SocketsHttpHandler
        {
            UseProxy = false,
            UseCookies = false,
            AllowAutoRedirect = false,
            Expect100ContinueTimeout = SceneRun.Patience,
        };
        _invoker = new HttpMessageInvoker(_handler, disposeHandler: true);
    }

    public async Task WarmAsync(string path)
    {
        using HttpRequestMessage message = Create(HttpMethod.Get, $"{path}?warm=1");
        message.Headers.Add(SceneRun.WarmHeader, "1");
        try
        {
            using HttpResponseMessage answer = await _invoker.SendAsync(message, CancellationToken.None);
            await answer.Content.ReadAsByteArrayAsync();
        }
        catch (Exception exception) when (exception is HttpRequestException or IOException or OperationCanceledException or InvalidOperationException)
        {
            // What the middleware of the scene makes of it does not matter.
        }
    }

    /// <summary>Sends a request to its end.</summary>
    public Task<string> SendAsync(SceneRequest request) =>
        request.How is SceneRequest.Kind.Socket or SceneRequest.Kind.LeaveSocket ? TalkAsync(request)
        : request.How == SceneRequest.Kind.Leave ? LeaveAsync(request)
        : AskAsync(request, CancellationToken.None);

    /// <summary>Waits until the handler of a request waits, or the request has ended.</summary>
    public async Task WaitsAsync(SceneRequest request, Task answer)
    {
        while (!answer.IsCompleted && !(_traces.TryGetValue(request.Name, out Trace? trace) && trace.Lines.Contains(SceneApp.Waits)))
        {
            await Task.Delay(1);
        }
    }

    public void Dispose()
    {
        _invoker.Dispose();
        _handler.Dispose();
    }

    private async Task<string> LeaveAsync(SceneRequest request)
    {
        using var leave = new CancellationTokenSource();
        Task<string> answer = AskAsync(request, leave.Token);
        await WaitsAsync(request, answer);
        if (answer.IsCompleted)
        {
            return await answer;
        }

        // What it has got by then depends on when it left.
        await leave.CancelAsync();
        await answer;
        return "left";
    }

    private async Task<string> AskAsync(SceneRequest request, CancellationToken leave)
    {
        using HttpRequestMessage message = Create(request);
        try
        {
            using HttpResponseMessage answer = await _invoker.SendAsync(message, leave);
            byte[] body = await answer.Content.ReadAsByteArrayAsync(leave);
            return Say(answer, body);
        }
        catch (Exception exception) when (exception is HttpRequestException or IOException or OperationCanceledException or InvalidOperationException)
        {
            // How much has come by then, and what ends the connection, is up to the network.
            return _server is null ? "broken off" : $"broken off: {Trace.Say(exception)}";
        }
        catch (Exception exception) when (_server is not null)
        {
            return $"thrown: {Trace.Say(exception)}";
        }
    }

    private HttpRequestMessage Create(HttpMethod method, string path) =>
        new(method, new Uri(_address, path)) { Version = _version, VersionPolicy = HttpVersionPolicy.RequestVersionExact };

    private HttpRequestMessage Create(SceneRequest request)
    {
        HttpRequestMessage message = Create(
            request.How switch
            {
                SceneRequest.Kind.Head => HttpMethod.Head,
                SceneRequest.Kind.Options => HttpMethod.Options,
                SceneRequest.Kind.Post or SceneRequest.Kind.PostForm or SceneRequest.Kind.PostExpected or SceneRequest.Kind.PostSlowly => HttpMethod.Post,
                _ => HttpMethod.Get,
            },
            request.Path);
        message.Headers.Add(Trace.Header, request.Name);
        if (request.IsKnown)
        {
            message.Headers.Add(TestIdentity.Header, "somebody");
            message.Headers.Add("Accept-Encoding", "gzip");
            message.Headers.Add("Accept", "text/plain");
            message.Headers.Add("Origin", "http://scene");
        }

        switch (request.How)
        {
            case SceneRequest.Kind.Options:
                message.Headers.Add("Access-Control-Request-Method", "GET");
                break;
            case SceneRequest.Kind.Post:
                message.Content = new StringContent(new string('x', 20_000));
                break;
            case SceneRequest.Kind.PostForm:
                message.Content = new FormUrlEncodedContent([new("name", "value")]);
                break;
            case SceneRequest.Kind.PostExpected:
                message.Content = new StringContent("expected");
                message.Headers.ExpectContinue = true;
                break;
            case SceneRequest.Kind.PostSlowly:
                message.Content = new SlowContent();
                break;
        }

        return message;
    }

    private async Task<string> TalkAsync(SceneRequest request)
    {
        using var patience = new CancellationTokenSource(SceneRun.Patience);
        try
        {
            using WebSocket socket = await ConnectAsync(request, patience.Token);
            byte[] buffer = new byte[100];
            for (int i = 1; i < 4; i++)
            {
                await socket.SendAsync(new byte[i * 10], WebSocketMessageType.Text, endOfMessage: true, patience.Token);
                WebSocketReceiveResult received = await socket.ReceiveAsync(buffer, patience.Token);
                if (received.Count != i * 10)
                {
                    return $"message {received.Count} instead of {i * 10}";
                }
            }

            if (request.How == SceneRequest.Kind.LeaveSocket)
            {
                socket.Abort();
                return "left";
            }

            await socket.CloseAsync(WebSocketCloseStatus.NormalClosure, null, patience.Token);
            return $"closed {socket.CloseStatus}";
        }
        catch (Exception exception) when (exception is WebSocketException or InvalidOperationException or IOException)
        {
            return "no socket";
        }
    }

    private async Task<WebSocket> ConnectAsync(SceneRequest request, CancellationToken patience)
    {
        if (_server is not null)
        {
            WebSocketClient client = _server.CreateWebSocketClient();
            client.ConfigureRequest = it => it.Headers[Trace.Header] = request.Name;
            return await client.ConnectAsync(new Uri(_address, request.Path), patience);
        }

        var socket = new ClientWebSocket();
        socket.Options.SetRequestHeader(Trace.Header, request.Name);
        socket.Options.HttpVersion = _version;
        socket.Options.HttpVersionPolicy = HttpVersionPolicy.RequestVersionExact;
        await socket.ConnectAsync(new UriBuilder(new Uri(_address, request.Path)) { Scheme = "ws" }.Uri, _invoker, patience);
        return socket;
    }

    private static string Say(HttpResponseMessage answer, byte[] body)
    {
        IEnumerable<string> headers = answer.Headers.Concat(answer.Content.Headers).Where(static it => !s_volatileHeaders.Contains(it.Key))
            .Select(static it => $"{it.Key}: {string.Join(',', it.Key == "Set-Cookie" ? it.Value.Select(static one => one.Split('=')[0]) : it.Value)}");
        IEnumerable<string> trailers = answer.TrailingHeaders.Select(static it => $"{it.Key}: {string.Join(',', it.Value)}");
        return $"{(int)answer.StatusCode} {answer.ReasonPhrase}\n{string.Join('\n', headers.Order(StringComparer.Ordinal))}\n"
            + $"{string.Join('\n', trailers)}\n{Text(answer, body)}";
    }

    private static string Text(HttpResponseMessage answer, byte[] body)
    {
        if (answer.Content.Headers.ContentEncoding.Contains("gzip"))
        {
            using var plain = new MemoryStream();
            using (var gzip = new GZipStream(new MemoryStream(body), CompressionMode.Decompress))
            {
                gzip.CopyTo(plain);
            }

            body = plain.ToArray();
        }

        // Stacks are those of threads, each request has a number, and each server a port.
        string text = Volatile().Replace(Encoding.UTF8.GetString(body), "");
        return text.Length < 2_000 ? text : $"{text.Length} characters {string.GetHashCode(text, StringComparison.Ordinal)}";
    }

    [GeneratedRegex("^ +at .*\\n|^--- End .*\\n|^Host: .*\\n|\"traceId\": ?\"[^\"]*\"|traceparent: .*", RegexOptions.Multiline)]
    private static partial Regex Volatile();

    /// <summary>A body that comes in parts, of a length that nobody knows before.</summary>
    private sealed class SlowContent : HttpContent
    {
        protected override async Task SerializeToStreamAsync(Stream stream, TransportContext? context)
        {
            for (int i = 0; i < 4; i++)
            {
                await stream.WriteAsync("part of a body "u8.ToArray());
                await stream.FlushAsync();
                await Task.Delay(1);
            }
        }

        protected override bool TryComputeLength(out long length)
        {
            length = 0;
            return false;
        }
    }
}
