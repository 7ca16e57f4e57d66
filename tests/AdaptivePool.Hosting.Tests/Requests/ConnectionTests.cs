using System.Net.WebSockets;
using System.Text;
using AdaptivePool.Hosting.Tests.Apps;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;
using Shouldly;
using Xunit;

namespace AdaptivePool.Hosting.Tests.Requests;

public sealed class ConnectionTests
{
    [Fact]
    public async Task RequestAborted_ClientLeaves_EndsTheWaitOnAWorkerAndThePoolGoesOn()
    {
        var entered = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        var left = new TaskCompletionSource<string>(TaskCreationOptions.RunContinuationsAsynchronously);
        await using var app = await TestApp.StartAsync(it =>
        {
            it.UseAdaptivePool();
            it.MapGet("/wait", async (HttpContext context) =>
            {
                entered.SetResult();
                try
                {
                    await Task.Delay(Timeout.InfiniteTimeSpan, context.RequestAborted);
                }
                catch (OperationCanceledException)
                {
                    left.SetResult(Whereabouts.Here());
                    throw;
                }
            });
            it.MapGet("/", Whereabouts.Here);
        });

        using var client = new CancellationTokenSource();
        var request = app.Client.GetAsync(new Uri("/wait", UriKind.Relative), client.Token);
        await entered.Task.WaitAsync(TestApp.Patience);
        await client.CancelAsync();

        await Should.ThrowAsync<OperationCanceledException>(() => request);
        (await left.Task.WaitAsync(TestApp.Patience)).ShouldBe(Whereabouts.Pool);
        (await app.GetAsync("/")).ShouldBe(Whereabouts.Pool);
    }

    [Fact]
    public async Task Response_WrittenInParts_ReachesTheClientPartByPart()
    {
        var received = new SemaphoreSlim(0);
        await using var app = await TestApp.StartAsync(it =>
        {
            it.UseAdaptivePool();
            it.MapGet("/", async (HttpContext context) =>
            {
                for (var i = 0; i < 3; i++)
                {
                    await context.Response.WriteAsync($"{i}:{Whereabouts.Here()}\n");
                    await context.Response.Body.FlushAsync();

                    // The next part is not written before the client has read this one.
                    (await received.WaitAsync(TestApp.Patience)).ShouldBeTrue();
                }
            });
        });

        using var answer = await app.Client.GetAsync(new Uri("/", UriKind.Relative), HttpCompletionOption.ResponseHeadersRead);
        using var reader = new StreamReader(await answer.Content.ReadAsStreamAsync());
        var lines = new List<string?>();
        for (var i = 0; i < 3; i++)
        {
            lines.Add(await reader.ReadLineAsync());
            received.Release();
        }

        lines.ShouldBe(["0:pool", "1:pool", "2:pool"]);
        (await reader.ReadLineAsync()).ShouldBeNull();
    }

    [Fact]
    public async Task Response_AsynchronousStreamOfItems_IsComplete()
    {
        await using var app = await TestApp.StartAsync(it =>
        {
            it.UseAdaptivePool();
            it.MapGet("/", Numbers);
        });

        (await app.GetAsync("/")).ShouldBe("[0,1,2,3,4]");

        static async IAsyncEnumerable<int> Numbers()
        {
            for (var i = 0; i < 5; i++)
            {
                await Task.Yield();
                yield return i;
            }
        }
    }

    [Fact]
    public async Task WebSocket_Echo_RunsOnWorkersUntilItIsClosed()
    {
        await using var app = await TestApp.StartAsync(it =>
        {
            it.UseWebSockets();
            it.UseAdaptivePool();
            it.Map("/echo", async (HttpContext context) =>
            {
                using var socket = await context.WebSockets.AcceptWebSocketAsync();
                var buffer = new byte[1024];
                while (true)
                {
                    var message = await socket.ReceiveAsync(buffer, context.RequestAborted);
                    if (message.MessageType == WebSocketMessageType.Close)
                    {
                        await socket.CloseAsync(WebSocketCloseStatus.NormalClosure, Whereabouts.Here(), context.RequestAborted);
                        return;
                    }

                    var answer = Encoding.UTF8.GetString(buffer, 0, message.Count) + ":" + Whereabouts.Here();
                    await socket.SendAsync(Encoding.UTF8.GetBytes(answer), WebSocketMessageType.Text, endOfMessage: true, context.RequestAborted);
                }
            });
        });

        using var timeout = new CancellationTokenSource(TestApp.Patience);
        using var client = new ClientWebSocket();
        await client.ConnectAsync(new UriBuilder(app.Address) { Scheme = "ws", Path = "/echo" }.Uri, timeout.Token);
        var buffer = new byte[1024];
        for (var i = 0; i < 10; i++)
        {
            await client.SendAsync(Encoding.UTF8.GetBytes($"{i}"), WebSocketMessageType.Text, endOfMessage: true, timeout.Token);
            var answer = await client.ReceiveAsync(buffer, timeout.Token);
            Encoding.UTF8.GetString(buffer, 0, answer.Count).ShouldBe($"{i}:pool");
        }

        await client.CloseAsync(WebSocketCloseStatus.NormalClosure, null, timeout.Token);
        client.CloseStatusDescription.ShouldBe(Whereabouts.Pool);
    }

    [Fact]
    public async Task Connection_Upgraded_IsReadAndWrittenByBeginAndEnd()
    {
        await using var app = await TestApp.StartAsync(it =>
        {
            it.UseAdaptivePool();
            it.Map("/raw", async (HttpContext context) =>
            {
                await using Stream stream = await context.Features.Get<IHttpUpgradeFeature>()!.UpgradeAsync();
                var buffer = new byte[4];
                int read = await Task<int>.Factory.FromAsync(stream.BeginRead, stream.EndRead, buffer, 0, buffer.Length, null);
                await Task.Factory.FromAsync(stream.BeginWrite, stream.EndWrite, buffer, 0, read, null);
            });
        });

        using var client = new System.Net.Sockets.TcpClient();
        await client.ConnectAsync(app.Address.Host, app.Address.Port);
        await using var connection = client.GetStream();
        await connection.WriteAsync("GET /raw HTTP/1.1\r\nHost: test\r\nConnection: Upgrade\r\nUpgrade: raw\r\n\r\necho"u8.ToArray());
        using var reader = new StreamReader(connection);

        (await reader.ReadToEndAsync().WaitAsync(TestApp.Patience)).ShouldEndWith("\r\n\r\necho");
    }

    [Fact]
    public async Task Connection_PipelinedRequests_AreAnsweredInOrder()
    {
        await using var app = await TestApp.StartAsync(it =>
        {
            it.UseAdaptivePool();
            it.MapGet("/{id}", (int id) => $"<{id}:{Whereabouts.Here()}>");
        });

        using var client = new System.Net.Sockets.TcpClient();
        await client.ConnectAsync(app.Address.Host, app.Address.Port);
        await using var stream = client.GetStream();
        var requests = string.Concat(Enumerable.Range(0, 10).Select(i => $"GET /{i} HTTP/1.1\r\nHost: test\r\n{(i == 9 ? "Connection: close\r\n" : "")}\r\n"));
        await stream.WriteAsync(Encoding.ASCII.GetBytes(requests));
        using var reader = new StreamReader(stream);
        var text = await reader.ReadToEndAsync().WaitAsync(TestApp.Patience);

        var answers = System.Text.RegularExpressions.Regex.Matches(text, "<[^>]*>").Select(match => match.Value);
        answers.ShouldBe(Enumerable.Range(0, 10).Select(i => $"<{i}:pool>"));
    }
}
