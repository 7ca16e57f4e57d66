using System.Net;
using System.Net.Sockets;
using AdaptivePool.Hosting.Tests.Apps;
using Microsoft.Extensions.DependencyInjection;
using Shouldly;
using Xunit;

namespace AdaptivePool.Hosting.Tests.Load;

public sealed class AgentAddressTests
{
    /// <summary>On all addresses of IPv6 it did not answer by IPv4, as the server of the application does: HAProxy kept its own limit.</summary>
    [Theory]
    [InlineData("0.0.0.0", "127.0.0.1")]
    [InlineData("::", "127.0.0.1")]
    [InlineData("::", "::1")]
    [InlineData("::1", "::1")]
    [InlineData("::ffff:127.0.0.1", "127.0.0.1")]
    public async Task Agent_OnAnAddressOfTheMachine_Answers(string address, string asked)
    {
        if (!Socket.OSSupportsIPv6)
        {
            return;
        }

        var port = FreePort();
        await using var app = await StartAsync(address, port);
        using var client = new TcpClient(IPAddress.Parse(asked).AddressFamily);
        await client.ConnectAsync(IPAddress.Parse(asked), port);
        using var reader = new StreamReader(client.GetStream());
        (await reader.ReadToEndAsync()).ShouldBe("up maxconn:7\n");
    }

    [Theory]
    [InlineData("192.0.2.1")]
    [InlineData("2001:db8::1")]
    [InlineData("ff02::1")]
    [InlineData("224.0.0.1")]
    [InlineData("255.255.255.255")]
    public async Task Agent_OnAnAddressOfNoMachine_FailsTheStartAndNamesIt(string address)
    {
        var thrown = await Should.ThrowAsync<Exception>(async () => await (await StartAsync(address, FreePort())).DisposeAsync());
        thrown.Message.ShouldContain("AgentAddress");
        thrown.Message.ShouldContain(address);
    }

    private static int FreePort()
    {
        using var free = new TcpListener(IPAddress.Loopback, 0);
        free.Start();
        return ((IPEndPoint)free.LocalEndpoint).Port;
    }

    private static Task<TestApp> StartAsync(string address, int port) => TestApp.StartAsync(
        static app => app.UseLoadReporting(),
        builder => builder.Services.AddLoadReporting(
            it => (it.AgentAddress, it.AgentPort, it.AgentMaxConnections) = (IPAddress.Parse(address), port, 7)));
}
