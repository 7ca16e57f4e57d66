using AdaptivePool.Hosting.Tests.Apps;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.SignalR;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using Shouldly;
using Xunit;

namespace AdaptivePool.Hosting.Tests.Hubs;

/// <summary>Bounded queues and hubs: calls are refused, connections are not.</summary>
public sealed class HubLimitTests
{
    [Theory]
    [InlineData(HubClient.WebSockets)]
    [InlineData(HubClient.ServerSentEvents)]
    public async Task MaxQueued_QueueOfAMethodIsFull_ItsCallersAreToldAndConnectionsGoOn(string transport)
    {
        var log = new RecordedLog();
        await using var app = await StartFullAsync(log: log);
        var visits = app.Visits();
        await using var first = await HubClient.ConnectAsync(app, transport);
        await using var second = await HubClient.ConnectAsync(app, transport);
        await using var third = await HubClient.ConnectAsync(app, transport);
        var running = first.CallAsync("Block");
        SpinWait.SpinUntil(() => visits.Entered.CurrentCount < HubVisits.Blockers, TestApp.Patience).ShouldBeTrue();

        var waiting = second.CallAsync("Block");
        await HeldPool.QueuedAsync(app.Pool, typeof(PlacesHub).FullName + "/Block", 1);
        (await third.CallAsync("Block")).ShouldNotBeNull().ShouldMatch("^error: .*HubException: The server is busy; try again in [0-9]+ s[.]$");

        const string Method = "AdaptivePool.Hosting.Tests.Apps.PlacesHub/Block";
        log.Lines.Count(static line => line.Text == $"Work class '{Method}' refused a call of '{Method}': QueueFull.").ShouldBe(1);

        // What else the connection asks for runs.
        (await third.CallAsync("Where")).ShouldBe(Whereabouts.Pool);
        await using var late = await HubClient.ConnectAsync(app, transport);
        (await late.CallAsync("Where")).ShouldBe(Whereabouts.Pool);
        visits.Open.Set();
        (await running).ShouldBe(Whereabouts.Pool);
        (await waiting).ShouldBe(Whereabouts.Pool);
    }

    [Theory]
    [InlineData(HubClient.ServerSentEvents)]
    [InlineData(HubClient.LongPolling)]
    public async Task MaxQueued_RequestsCarryMessagesOfConnections_NoneIsRefused(string transport)
    {
        // Methods, loops and requests are one class with one thread.
        await using var app = await StartFullAsync(static it => it.RunOnAdaptivePool("hub"));
        var visits = app.Visits();
        await using var first = await HubClient.ConnectAsync(app, transport);
        await using var second = await HubClient.ConnectAsync(app, transport);
        await using var third = await HubClient.ConnectAsync(app, transport);
        var running = first.CallAsync("Block");
        SpinWait.SpinUntil(() => visits.Entered.CurrentCount < HubVisits.Blockers, TestApp.Patience).ShouldBeTrue();

        var calls = new[] { second.SendCallAsync(1, "Where"), third.SendCallAsync(1, "Where") };
        await HeldPool.QueuedAsync(app.Pool, "hub", calls.Length);
        visits.Open.Set();

        await Task.WhenAll(calls);
        (await running).ShouldBe(Whereabouts.Pool);
    }

    [Fact]
    public async Task MaxQueueTime_IsOverForEverybody_ConnectionsAndTheirEventsGoOn()
    {
        await using var app = await HubApp.StartAsync(
            build: static it => it.Services.AddAdaptivePool(static options =>
            {
                options.MinThreads = 1;
                options.MaxThreads = 1;
            }));
        var visits = app.Visits();
        var client = await HubClient.ConnectAsync(app);
        var blocking = client.SendCallAsync(1, "Block");
        SpinWait.SpinUntil(() => visits.Entered.CurrentCount < HubVisits.Blockers, TestApp.Patience).ShouldBeTrue();

        foreach (var workClass in app.Pool.GetSnapshot().Classes.Where(static it => it.Name != WorkClass.InFlightName))
        {
            app.Pool.GetClass(workClass.Name).MaxQueueTime = TimeSpan.FromMilliseconds(1);
        }

        await client.DisposeAsync();
        await Task.Delay(20);
        visits.Open.Set();

        (await visits.Disconnected.Task.WaitAsync(TestApp.Patience)).ShouldBe(Whereabouts.Pool);
        await blocking;
    }

    [Fact]
    public async Task LimitQueue_OfAMethodThatNamesItsClass_HoldsFromTheStart()
    {
        await using var app = await HubApp.StartAsync<BoundedHub>();

        app.Pool.GetClass("shared").MaxQueued.ShouldBe(7, "others of the class may come before the first call");
    }

    [Fact]
    public async Task LimitQueue_MethodAndEndpointOfOneClassDisagree_DoesNotStart()
    {
        await using var application = TestApp.Build(
            static it =>
            {
                it.UseAdaptivePool();
                it.MapGet("/a", Whereabouts.Here).RunOnAdaptivePool("shared").LimitQueue(10);
                it.MapHub<BoundedHub>("/hub");
            },
            static it =>
            {
                it.Services.AddSignalR();
                it.Services.AddAdaptivePool();
            });

        (await Should.ThrowAsync<InvalidOperationException>(() => application.StartAsync())).Message.ShouldContain(
            "share the work class 'shared', which has one queue, and their LimitQueue values differ");
    }

    /// <summary>An app of classes that are soon full: one call at a time for each, one that waits, and threads for the loops.</summary>
    private static Task<TestApp> StartFullAsync(Action<HubEndpointConventionBuilder>? map = null, RecordedLog? log = null) => HubApp.StartAsync(
        map,
        it =>
        {
            it.Services.AddAdaptivePool(static options =>
            {
                options.Sizing = PoolSizing.Fixed(1);
                options.MaxQueued = 1;
            });
            if (log is not null)
            {
                it.Logging.AddProvider(log).AddFilter("AdaptivePool", LogLevel.Trace);
            }
        });

    private sealed class BoundedHub : Hub
    {
        [RunOnAdaptivePool("shared")]
        [LimitQueue(7)]
        public void Run()
        {
        }
    }
}
