using AdaptivePool.Hosting.Tests.Apps;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.SignalR;
using Microsoft.Extensions.DependencyInjection;
using Shouldly;
using Xunit;

namespace AdaptivePool.Hosting.Tests.Hubs;

public sealed class HubPlaceTests : HubTest
{
    private const int Stream = 4;
    private const int Call = 1;

    public static TheoryData<string> Transports => [HubClient.WebSockets, HubClient.ServerSentEvents, HubClient.LongPolling];

    [Theory]
    [MemberData(nameof(Transports))]
    public async Task Hub_EachTransport_RunsOnWorkersFromItsStartToItsEnd(string transport)
    {
        await using var app = await HubApp.StartAsync();
        await using (var client = await HubClient.ConnectAsync(app, transport))
        {
            for (var i = 0; i < 3; i++)
            {
                (await client.CallAsync("Where")).ShouldBe(Whereabouts.Pool);
                (await client.CallAsync("Made")).ShouldBe(Whereabouts.Pool);
            }
        }

        (await app.Visits().Disconnected.Task.WaitAsync(TestApp.Patience)).ShouldBe(Whereabouts.Pool);
        app.Visits().Places["connected"].ShouldBe(Whereabouts.Pool);
    }

    [Fact]
    public async Task HubMethod_AfterEachAwait_RunsOnWorker()
    {
        await StartAsync();

        (await Client.CallAsync("After")).ShouldBe("pool,pool,pool");
    }

    [Fact]
    public async Task HubMethod_StreamsToTheClient_RunsOnWorkerBetweenItems()
    {
        await StartAsync();

        await Client.SendCallAsync(Stream, "Stream");
        (await Client.CompletionAsync()).Items.ShouldBe(["pool", "pool", "pool"]);
        App.Visits().Places["stream's end"].ShouldBe(Whereabouts.Pool);
        await Client.SendCallAsync(Stream, "Channel");
        (await Client.CompletionAsync()).Items.ShouldBe(["pool"]);
    }

    [Fact]
    public async Task HubMethod_ReadsAStreamFromTheClient_RunsOnWorkerAfterEachPart()
    {
        await StartAsync();

        await Client.SendCallAsync(Call, ["up"], "Upload");
        await Client.SendAsync(new { type = 2, invocationId = "up", item = "a" });
        await Client.SendAsync(new { type = 2, invocationId = "up", item = "b" });
        await Client.SendAsync(new { type = 3, invocationId = "up" });

        (await Client.CompletionAsync()).Result.ShouldBe("a:pool,b:pool");
    }

    [Theory]
    [InlineData("Ask", "yes:pool")]
    [InlineData("AskAndBlock", "yes")]
    public async Task HubMethod_AsksTheClient_GoesOnOnAWorkerAlsoIfItBlockedForTheAnswer(string method, string expected)
    {
        // On the runtime's pool a method that blocks keeps its connection from reading the answer.
        await StartAsync();

        await Client.SendCallAsync(Call, method);
        var question = await Client.NextAsync();
        await Client.SendAsync(new { type = 3, invocationId = question.GetProperty("invocationId").GetString(), result = "yes" });

        (await Client.CompletionAsync()).Result.ShouldBe(expected);
    }

    [Fact]
    public async Task HubMethod_Throws_TheClientGetsItsError()
    {
        await StartAsync();

        (await Client.CallAsync("Fail")).ShouldNotBeNull().ShouldContain("HubException: as meant");
        (await Client.CallAsync("Where")).ShouldBe(Whereabouts.Pool);
    }

    [Fact]
    public async Task ManyHubMethodsBlock_RequestsAreAnsweredMeanwhile()
    {
        await using var app = await HubApp.StartAsync(build: static it => it.Services.AddAdaptivePool(static options => options.Guests = false));
        var visits = app.Visits();
        var clients = await Task.WhenAll(Enumerable.Range(0, HubVisits.Blockers).Select(_ => HubClient.ConnectAsync(app)));
        Task<string?>[] calls = [.. clients.Select(static client => client.CallAsync("Block"))];
        try
        {
            visits.Entered.Wait(TestApp.Patience).ShouldBeTrue();
            for (var i = 0; i < 20; i++)
            {
                (await app.GetAsync("/hello")).ShouldBe(Whereabouts.Pool);
            }

            calls.ShouldAllBe(static call => !call.IsCompleted);
        }
        finally
        {
            visits.Open.Set();
        }

        (await Task.WhenAll(calls)).ShouldAllBe(static place => place == Whereabouts.Pool);
        foreach (var client in clients)
        {
            await client.DisposeAsync();
        }
    }

    [Fact]
    public async Task Hub_WithoutUseAdaptivePool_RunsOnWorkers()
    {
        await using var app = await TestApp.StartAsync(
            static it => it.MapHub<PlacesHub>("/hub").RunOnAdaptivePool("hubs"),
            static it =>
            {
                // Added before the pool elsewhere, after it here.
                it.Services.AddAdaptivePool();
                it.Services.AddSignalR();
                it.Services.AddSingleton<HubVisits>();
            });
        await using var client = await HubClient.ConnectAsync(app);

        (await client.CallAsync("Class")).ShouldBe("hubs");
    }

    [Fact]
    public async Task HubFilters_OfTheApplicationAndOfOneHub_RunOnWorkers()
    {
        var filter = new PlacesFilter();
        await StartAsync(build: it =>
        {
            it.Services.AddSignalR(options => options.AddFilter(filter)).AddHubOptions<PlacesHub>(options => options.AddFilter(filter));
            it.Services.AddAdaptivePool();
        });

        (await Client.CallAsync("Where")).ShouldBe(Whereabouts.Pool);
        filter.Places.ShouldBe([Whereabouts.Pool, Whereabouts.Pool]);
    }

    [Fact]
    public async Task PoolIsDisposedByHand_HubsGoOnOnTheRuntimesPool()
    {
        await StartAsync();
        (await Client.CallAsync("Where")).ShouldBe(Whereabouts.Pool);

        await App.Pool.DisposeAsync();

        (await Client.CallAsync("Where")).ShouldBe(Whereabouts.Runtime);
        await using var late = await HubClient.ConnectAsync(App);
        (await late.CallAsync("Where")).ShouldBe(Whereabouts.Runtime);
    }

    private sealed class PlacesFilter : IHubFilter
    {
        public List<string> Places { get; } = [];

        public ValueTask<object?> InvokeMethodAsync(HubInvocationContext invocationContext, Func<HubInvocationContext, ValueTask<object?>> next)
        {
            Places.Add(Whereabouts.Here());
            return next(invocationContext);
        }
    }
}
