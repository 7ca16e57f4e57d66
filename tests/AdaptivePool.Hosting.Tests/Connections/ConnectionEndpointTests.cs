using System.Buffers;
using System.Threading.Channels;
using AdaptivePool.Admission;
using AdaptivePool.Hosting.Tests.Apps;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Connections;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Shouldly;
using Xunit;

namespace AdaptivePool.Hosting.Tests.Connections;

/// <summary>Connections of a handler that is no hub, behind a gate and behind a bounded queue. The handler sends back what it gets.</summary>
public sealed class ConnectionEndpointTests
{
    [Theory]
    [InlineData(HubClient.WebSockets, "")]
    [InlineData(HubClient.ServerSentEvents, "")]
    [InlineData(HubClient.LongPolling, "")]
    [InlineData(HubClient.ServerSentEvents, "/group/{tenant}")]
    public async Task RequireTransactionGate_ConnectionHoldsTheLastPermit_ItsMessagesAreAnswered(string transport, string group)
    {
        await using var app = await TestApp.StartAsync(
            it =>
            {
                it.UseAdaptivePool();
                it.MapGroup(group).MapConnectionHandler<EchoHandler>("/echo").RequireTransactionGate("bank");
            },
            AddGate);
        var gate = app.Application.Services.GetRequiredKeyedService<TransactionGate>("bank");
        await using (var client = await HubClient.ConnectAsync(app, transport, group.Replace("{tenant}", "north", StringComparison.Ordinal) + "/echo"))
        {
            foreach (var number in new[] { 1, 2 })
            {
                await client.SendAsync(new { number });
                (await client.NextAsync()).GetProperty("number").GetInt32().ShouldBe(number);
            }
        }

        SpinWait.SpinUntil(() => gate.GetSnapshot() is { Held: 0, Queued: 0 }, TestApp.Patience).ShouldBeTrue();
    }

    [Theory]
    [InlineData(HubClient.WebSockets)]
    [InlineData(HubClient.ServerSentEvents)]
    public async Task Cancel_OpenConnection_EndsItAndThePermitComesBack(string transport)
    {
        await using var app = await TestApp.StartAsync(
            static it =>
            {
                it.UseAdaptivePool();
                it.MapConnectionHandler<EchoHandler>("/echo").RequireTransactionGate("bank");
            },
            AddGate);
        var gate = app.Application.Services.GetRequiredKeyedService<TransactionGate>("bank");
        await using var client = await HubClient.ConnectAsync(app, transport, "/echo");

        gate.Cancel(gate.GetLeases().Single().Id).ShouldBeTrue();

        // Before the client runs out of patience, which ends the connection, too.
        SpinWait.SpinUntil(() => gate.GetSnapshot() is { Held: 0, Queued: 0 }, TestApp.Patience / 2).ShouldBeTrue();
        await Should.ThrowAsync<ChannelClosedException>(client.NextAsync);
    }

    [Fact]
    public async Task RequireTransactionGate_OtherEndpointOfThePath_NeedsAPermit()
    {
        await using var app = await TestApp.StartAsync(
            static it =>
            {
                it.UseAdaptivePool();
                it.MapConnectionHandler<EchoHandler>("/echo");
                it.MapPost("/echo", static ([FromKeyedServices("bank")] TransactionGate gate) => gate.GetSnapshot().Held).RequireTransactionGate("bank");
            },
            AddGate);

        using var answer = await app.Client.PostAsync(new Uri("/echo?id=1", UriKind.Relative), null);

        (await answer.Content.ReadAsStringAsync()).ShouldBe("1");
    }

    [Theory]
    [InlineData(HubClient.ServerSentEvents)]
    [InlineData(HubClient.LongPolling)]
    public async Task MaxQueued_RequestsCarryMessagesOfConnections_NoneIsRefused(string transport)
    {
        await using var held = new HeldPool();
        await using var app = await TestApp.StartAsync(
            it =>
            {
                it.UseAdaptivePool();
                held.Map(it);
                it.MapConnectionHandler<EchoHandler>("/echo").RunOnAdaptivePool("echo").LimitQueue(1);
            },
            static it =>
            {
                it.Configuration.AddInMemoryCollection(HeldPool.Settings);
                it.Services.AddConnections();
                it.Services.AddAdaptivePool();
            });
        await using var first = await HubClient.ConnectAsync(app, transport, "/echo");
        await using var second = await HubClient.ConnectAsync(app, transport, "/echo");
        await held.HoldAsync(app);

        var sent = new[] { first.SendAsync(new { number = 1 }), second.SendAsync(new { number = 2 }) };
        await HeldPool.QueuedAsync(app.Pool, "echo", sent.Length);
        await held.DisposeAsync();

        await Task.WhenAll(sent);
        (await first.NextAsync()).GetProperty("number").GetInt32().ShouldBe(1);
        (await second.NextAsync()).GetProperty("number").GetInt32().ShouldBe(2);
    }

    private static void AddGate(WebApplicationBuilder builder)
    {
        builder.Services.AddConnections();
        builder.Services.AddAdaptivePool();
        builder.Services.AddTransactionGate("bank", static options => options.PermitLimit = 1);
    }

    private sealed class EchoHandler : ConnectionHandler
    {
        public override async Task OnConnectedAsync(ConnectionContext connection)
        {
            while (await connection.Transport.Input.ReadAsync() is { IsCompleted: false } read)
            {
                await connection.Transport.Output.WriteAsync(read.Buffer.ToArray());
                connection.Transport.Input.AdvanceTo(read.Buffer.End);
            }
        }
    }
}
