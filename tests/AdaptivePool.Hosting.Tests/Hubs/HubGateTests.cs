using System.Threading.Channels;
using AdaptivePool.Admission;
using AdaptivePool.Hosting.Tests.Apps;
using Microsoft.AspNetCore.Builder;
using Microsoft.Extensions.DependencyInjection;
using Shouldly;
using Xunit;

namespace AdaptivePool.Hosting.Tests.Hubs;

/// <summary>Hubs behind a gate: a connection holds a permit, and what its client sends needs no other.</summary>
public sealed class HubGateTests
{
    [Theory]
    [InlineData(HubClient.WebSockets)]
    [InlineData(HubClient.ServerSentEvents)]
    [InlineData(HubClient.LongPolling)]
    public async Task RequireTransactionGate_ConnectionHoldsTheLastPermit_ItsCallsAreAnswered(string transport)
    {
        await using var app = await StartAsync();
        var gate = GateOf(app);
        await using (var client = await HubClient.ConnectAsync(app, transport))
        {
            (await client.CallAsync("Where")).ShouldBe(Whereabouts.Pool);
            (await client.CallAsync("Where")).ShouldBe(Whereabouts.Pool);
        }

        SpinWait.SpinUntil(() => gate.GetSnapshot() is { Held: 0, Queued: 0 }, TestApp.Patience).ShouldBeTrue();
    }

    [Theory]
    [InlineData(HubClient.WebSockets)]
    [InlineData(HubClient.ServerSentEvents)]
    public async Task Cancel_OpenConnection_EndsItAndThePermitComesBack(string transport)
    {
        await using var app = await StartAsync();
        var gate = GateOf(app);
        await using var client = await HubClient.ConnectAsync(app, transport);
        SpinWait.SpinUntil(() => gate.GetSnapshot().Held == 1, TestApp.Patience).ShouldBeTrue();

        gate.Cancel(gate.GetLeases().Single().Id).ShouldBeTrue();

        // Before the client runs out of patience, which ends the connection, too.
        SpinWait.SpinUntil(() => gate.GetSnapshot() is { Held: 0, Queued: 0 }, TestApp.Patience / 2).ShouldBeTrue();
        (await app.Visits().Disconnected.Task.WaitAsync(TestApp.Patience)).ShouldBe(Whereabouts.Pool);
        await Should.ThrowAsync<ChannelClosedException>(client.NextAsync);
    }

    private static Task<TestApp> StartAsync() => HubApp.StartAsync(
        static hub => hub.RequireTransactionGate("bank"),
        static it =>
        {
            it.Services.AddAdaptivePool();
            it.Services.AddTransactionGate("bank", static options => options.PermitLimit = 1);
        });

    private static TransactionGate GateOf(TestApp app) => app.Application.Services.GetRequiredKeyedService<TransactionGate>("bank");
}
