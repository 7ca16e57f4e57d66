using System.Net.Sockets;
using System.Text;
using AdaptivePool.Hosting.Tests.Apps;
using Microsoft.AspNetCore.Builder;
using Shouldly;
using Xunit;

namespace AdaptivePool.Hosting.Tests.Requests;

public sealed class PipelinedTests
{
    [Fact]
    public async Task DisableAdaptivePool_RequestsArePipelined_RunsOnRuntimePool()
    {
        await using var app = await TestApp.StartAsync(static it =>
        {
            it.UseAdaptivePool();

            // Ends on a worker after the server has begun to wait for it, so that the server goes on there with the next request.
            it.MapGet("/on", static async () =>
            {
                await Task.Delay(1);
                return $"<{Whereabouts.Here()}>";
            });
            it.MapGet("/off", static () => $"<{Whereabouts.Here()}>").DisableAdaptivePool();
        });
        using var client = new TcpClient();
        await client.ConnectAsync(app.Address.Host, app.Address.Port);
        await using var stream = client.GetStream();

        await stream.WriteAsync(Encoding.ASCII.GetBytes(Request("/on") + Request("/off") + Request("/off") + Request("/on") + Request("/off", last: true)));
        using var reader = new StreamReader(stream, Encoding.ASCII);
        var answers = await reader.ReadToEndAsync().WaitAsync(TestApp.Patience);

        answers.Split('<').Skip(1).Select(static answer => answer.Split('>')[0]).ShouldBe(["pool", "runtime", "runtime", "pool", "runtime"]);
    }

    private static string Request(string path, bool last = false) => $"GET {path} HTTP/1.1\r\nHost: h\r\n{(last ? "Connection: close\r\n" : "")}\r\n";
}
