using System.Net;
using AdaptivePool.Admission;
using AdaptivePool.Hosting.Tests.Apps;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Shouldly;
using Xunit;

namespace AdaptivePool.Hosting.Tests.Gates;

public sealed class GateRequestTests
{
    [Fact]
    public async Task Requests_BeyondTheLimit_WaitWithoutAWorkerAndAreServedLater()
    {
        await using var app = await GateApp.StartAsync(static o => o.PermitLimit = 1);
        var requests = Enumerable.Range(0, 4).Select(_ => app.SendAsync("/hold")).ToList();
        await app.UntilAsync(static gate => gate is { Held: 1, Queued: 3 });

        (await app.App.GetAsync("/free")).ShouldBe(Whereabouts.Pool);
        app.App.Pool.GetSnapshot().Queued.ShouldBe(0);
        app.Gate.GetSnapshot().Queued.ShouldBe(3);

        app.Release();
        foreach (var request in requests)
        {
            using var response = await request;
            (await response.Content.ReadAsStringAsync()).ShouldBe(Whereabouts.Pool);
        }

        await app.UntilAsync(static gate => gate is { Held: 0, Queued: 0 });
        app.Gate.GetSnapshot().AdmittedAfterWait.ShouldBe(3);
    }

    [Fact]
    public async Task Refusal_TooManyWait_Is429WithRetryAfter()
    {
        await using var app = await GateApp.StartAsync(static o => (o.PermitLimit, o.QueueLimit) = (1, 0));
        var inside = app.SendAsync("/hold");
        await app.UntilAsync(static gate => gate.Held == 1);

        using var refused = await app.SendAsync("/hold");

        refused.StatusCode.ShouldBe(HttpStatusCode.TooManyRequests);
        refused.Headers.RetryAfter!.Delta.ShouldBe(TimeSpan.FromSeconds(1));
        app.Release();
        (await inside).StatusCode.ShouldBe(HttpStatusCode.OK);
    }

    [Fact]
    public async Task Refusal_WaitedTooLong_Is503WithRetryAfter()
    {
        await using var app = await GateApp.StartAsync(static o => (o.PermitLimit, o.QueueTimeout) = (1, TimeSpan.FromMilliseconds(20)));
        var inside = app.SendAsync("/hold");
        await app.UntilAsync(static gate => gate.Held == 1);

        using var refused = await app.SendAsync("/hold");

        refused.StatusCode.ShouldBe(HttpStatusCode.ServiceUnavailable);
        refused.Headers.RetryAfter!.Delta!.Value.ShouldBeGreaterThanOrEqualTo(TimeSpan.FromSeconds(1));
        app.Gate.GetSnapshot().Refused[RefusalReason.QueueTimeout].ShouldBe(1);
        app.Release();
        (await inside).StatusCode.ShouldBe(HttpStatusCode.OK);
    }

    [Fact]
    public async Task RequestTimesOutWhileItWaits_ItsClientIsAnsweredAsTheTimeoutSays()
    {
        await using var app = await GateApp.StartAsync(
            static o => o.PermitLimit = 1,
            static it => it.MapGet("/timed", static () => "late").RequireTransactionGate("bank").WithRequestTimeout(TimeSpan.FromMilliseconds(50)),
            static it => it.Services.AddRequestTimeouts(),
            static it => it.UseRequestTimeouts());
        var inside = app.SendAsync("/hold");
        await app.UntilAsync(static gate => gate.Held == 1);

        // One whose time is over before it comes to the gate is not counted.
        for (var i = 0; i < 20 && app.Gate.GetSnapshot().Cancelled == 0; i++)
        {
            using var answer = await app.SendAsync("/timed");
            answer.StatusCode.ShouldBe(HttpStatusCode.GatewayTimeout);
        }

        await app.UntilAsync(static gate => gate is { Queued: 0, Cancelled: > 0 });
        app.Release();
        (await inside).StatusCode.ShouldBe(HttpStatusCode.OK);
    }

    [Fact]
    public async Task MiddlewareOfTheApplicationGivesUpWhileItWaits_ItsClientIsAnsweredByIt()
    {
        // It was ended as 499, as if its client had gone.
        using var timeout = new CancellationTokenSource();
        await using var app = await GateApp.StartAsync(
            static o => o.PermitLimit = 1,
            static it => it.MapGet("/timed", static () => "late").RequireTransactionGate("bank"),
            before: it => it.Use(async (context, next) =>
            {
                if (context.Request.Path == "/timed")
                {
                    context.RequestAborted = timeout.Token;
                }

                try
                {
                    await next(context);
                }
                catch (OperationCanceledException)
                {
                    context.Response.StatusCode = StatusCodes.Status409Conflict;
                }
            }));
        var inside = app.SendAsync("/hold");
        await app.UntilAsync(static gate => gate.Held == 1);
        var waiting = app.SendAsync("/timed");
        await app.UntilAsync(static gate => gate.Queued == 1);

        await timeout.CancelAsync();

        (await waiting).StatusCode.ShouldBe(HttpStatusCode.Conflict);
        app.Release();
        (await inside).StatusCode.ShouldBe(HttpStatusCode.OK);
    }

    [Fact]
    public async Task CancelledByAnAdministratorWhileItWaitsForAWorker_Is503()
    {
        var held = new HeldPool();
        await using var app = await GateApp.StartAsync(
            static o => o.PermitLimit = 1,
            it => it.MapGet("/held", held.Enter),
            static it => it.Configuration.AddInMemoryCollection(HeldPool.Settings));
        var holding = app.SendAsync("/held");
        (await held.EnteredAsync()).ShouldBeTrue();
        var waiting = app.SendAsync("/hold");
        await app.UntilAsync(static gate => gate.Held == 1);
        await HeldPool.QueuedAsync(app.App.Pool, "(in flight)", 1);

        // Who has hardly waited is not asked whether its client is still there.
        await Task.Delay(50);
        app.Gate.Cancel(app.Gate.GetLeases().Single().Id).ShouldBeTrue();
        held.Open();

        (await waiting).StatusCode.ShouldBe(HttpStatusCode.ServiceUnavailable);
        (await holding).StatusCode.ShouldBe(HttpStatusCode.OK);
    }

    [Fact]
    public async Task CancelledByAnAdministratorAfterItHasSetHeaders_Is503WithoutThem()
    {
        await using var app = await GateApp.StartAsync(static o => o.PermitLimit = 1, static it => it.MapGet("/headers", static async context =>
        {
            context.Response.ContentLength = 10;
            context.Response.ContentType = "text/plain";
            await Task.Delay(Timeout.InfiniteTimeSpan, context.RequestAborted);
        }).RequireTransactionGate("bank"));
        var inside = app.SendAsync("/headers");
        await app.UntilAsync(static gate => gate.Held == 1);
        app.Gate.Cancel(app.Gate.GetLeases().Single().Id).ShouldBeTrue();

        using var answer = await inside;
        answer.StatusCode.ShouldBe(HttpStatusCode.ServiceUnavailable);
        answer.Content.Headers.ContentLength.ShouldBe(0);
        answer.Content.Headers.ContentType.ShouldBeNull();
    }

    [Fact]
    public async Task Client_LeavesWhileItWaits_FreesItsPlace()
    {
        await using var app = await GateApp.StartAsync(static o => o.PermitLimit = 1);
        var inside = app.SendAsync("/hold");
        await app.UntilAsync(static gate => gate.Held == 1);
        using var client = new CancellationTokenSource();
        var waiting = app.SendAsync("/hold", client.Token);
        await app.UntilAsync(static gate => gate.Queued == 1);

        await client.CancelAsync();

        await Should.ThrowAsync<OperationCanceledException>(() => waiting);
        await app.UntilAsync(static gate => gate is { Queued: 0, Cancelled: 1 });
        app.Release();
        (await inside).StatusCode.ShouldBe(HttpStatusCode.OK);
        await app.UntilAsync(static gate => gate.Held == 0);
    }

    [Fact]
    public async Task Client_LeavesWhileInside_CancelsTheRequestAndThePermitComesBack()
    {
        var entered = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        var left = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        await using var app = await GateApp.StartAsync(static o => o.PermitLimit = 1, it => it.MapGet("/wait", async (HttpContext context) =>
        {
            try
            {
                entered.SetResult();
                await Task.Delay(Timeout.InfiniteTimeSpan, context.RequestAborted);
            }
            finally
            {
                left.SetResult();
            }
        }).RequireTransactionGate("bank"));
        using var client = new CancellationTokenSource();
        var request = app.SendAsync("/wait", client.Token);

        // One whose client has gone while it waits for a worker does not come here.
        await entered.Task.WaitAsync(TestApp.Patience);
        app.Gate.GetSnapshot().Held.ShouldBe(1);

        await client.CancelAsync();

        await Should.ThrowAsync<OperationCanceledException>(() => request);
        await left.Task.WaitAsync(TestApp.Patience);
        await app.UntilAsync(static gate => gate.Held == 0);
    }

    [Fact]
    public async Task Handler_Throws_ThePermitComesBack()
    {
        await using var app = await GateApp.StartAsync(static o => o.PermitLimit = 1, static it =>
            it.MapGet("/throw", static string () => throw new InvalidOperationException("handler")).RequireTransactionGate("bank"));

        for (var i = 0; i < 3; i++)
        {
            using var response = await app.SendAsync("/throw");
            response.StatusCode.ShouldBe(HttpStatusCode.InternalServerError);
        }

        await app.UntilAsync(static gate => gate.Held == 0);
    }

    [Fact]
    public async Task Handler_AsksForTheSameGate_IsInsideAlready()
    {
        await using var app = await GateApp.StartAsync(static o => o.PermitLimit = 1, static it =>
            it.MapGet("/nested", static async ([FromKeyedServices("bank")] TransactionGate gate) =>
            {
                await Task.Yield();
                using var lease = await gate.AcquireAsync();
                return lease is TransactionLease { IsNested: true };
            }).RequireTransactionGate("bank"));

        (await app.App.GetAsync("/nested")).ShouldBe("true");
        await app.UntilAsync(static gate => gate.Held == 0);
    }

    [Fact]
    public async Task Administrator_FullGate_EntersSeesWhoIsInsideAndEndsIt()
    {
        await using var app = await GateApp.StartAsync(static o => o.PermitLimit = 1, static it =>
        {
            it.MapGet("/endless", static (HttpContext context) => Task.Delay(Timeout.InfiniteTimeSpan, context.RequestAborted)).RequireTransactionGate("bank");
            it.MapGet("/end", static ([FromKeyedServices("bank")] TransactionGate gate) =>
            {
                var blocking = gate.GetLeases().Single(static lease => !lease.IsPrivileged);
                return gate.Cancel(blocking.Id) ? blocking.Name : "gone";
            }).RequireTransactionGate("bank", TransactionPriority.Admin);
        });
        var endless = app.SendAsync("/endless");
        await app.UntilAsync(static gate => gate.Held == 1);

        (await app.App.GetAsync("/end")).ShouldBe("GET /endless");

        using var ended = await endless;
        ended.StatusCode.ShouldBe(HttpStatusCode.ServiceUnavailable);
        await app.UntilAsync(static gate => gate is { Held: 0, Privileged: 0 });
    }

    [Fact]
    public async Task Describe_PerRequest_SaysWhoAsks()
    {
        await using var app = await GateApp.StartAsync(static o => o.PermitLimit = 1, static it =>
            it.MapGet("/tenant", static (HttpContext context, [FromKeyedServices("bank")] TransactionGate gate) => gate.GetLeases().Single() is var lease
                ? $"{lease.Name} {lease.Partition} {lease.Priority}" : "")
                .RequireTransactionGate("bank", static context
                    => new TransactionRequest { Partition = context.Request.Query["id"], Priority = TransactionPriority.High }));

        (await app.App.GetAsync("/tenant?id=north")).ShouldBe("GET /tenant north High");
    }

    [Fact]
    public async Task Attribute_OnControllerAndAction_IsHeeded()
    {
        await using var app = await GateApp.StartAsync(
            static o => o.PermitLimit = 1,
            static it => it.MapControllers(),
            static builder => builder.Services.AddControllers()
                .ConfigureApplicationPartManager(static parts => parts.FeatureProviders.Add(new GatedControllerFeature())));

        (await app.App.GetAsync("/gated/normal")).ShouldBe("GET /gated/normal");
        (await app.App.GetAsync("/gated/admin")).ShouldBe("true");
    }

    [Fact]
    public async Task KillSwitch_PoolIsOff_TheGateStays()
    {
        await using var app = await GateApp.StartAsync(
            static o => (o.PermitLimit, o.QueueLimit) = (1, 0),
            build: static builder
                => builder.Configuration.Sources.Add(
                new Microsoft.Extensions.Configuration.Memory.MemoryConfigurationSource { InitialData = [new("AdaptivePool:Enabled", "false")] }));
        var inside = app.SendAsync("/hold");
        await app.UntilAsync(static gate => gate.Held == 1);

        using var refused = await app.SendAsync("/hold");

        refused.StatusCode.ShouldBe(HttpStatusCode.TooManyRequests);
        (await app.App.GetAsync("/free")).ShouldBe(Whereabouts.Runtime);
        app.Release();
        (await (await inside).Content.ReadAsStringAsync()).ShouldBe(Whereabouts.Runtime);
    }

    [Fact]
    public async Task UseTransactionGates_WithoutAPool_Works()
    {
        await using var app = await TestApp.StartAsync(
            static it =>
            {
                it.UseTransactionGates();
                it.MapGet("/", static (HttpContext context) => context.Features.Get<TransactionLease>() is not null).RequireTransactionGate("bank");
            },
            static builder => builder.Services.AddTransactionGate("bank", static o => o.PermitLimit = 1));

        (await app.GetAsync("/")).ShouldBe("true");
    }

    [Theory]
    [InlineData("/minimal")]
    [InlineData("/attribute")]
    [InlineData("/gated/normal")]
    public async Task Endpoint_ReachedPastItsGate_Throws(string path)
    {
        var ran = 0;
        await using var app = await TestApp.StartAsync(
            it =>
            {
                // Before routing there is no endpoint yet.
                it.UseTransactionGates();
                it.UseRouting();
                it.MapGet("/minimal", () => Interlocked.Increment(ref ran)).RequireTransactionGate("bank");
                it.MapGet("/attribute", [AdaptivePool.Hosting.RequireTransactionGate("bank")] () => Interlocked.Increment(ref ran));
                it.MapGet("/free", static () => "free");
                it.MapControllers();
            },
            static builder =>
            {
                builder.Services.AddTransactionGate("bank", static o => o.PermitLimit = 1);
                builder.Services.AddControllers().ConfigureApplicationPartManager(static parts => parts.FeatureProviders.Add(new GatedControllerFeature()));
            });

        using var response = await app.Client.GetAsync(new Uri(path, UriKind.Relative));

        (response.StatusCode, ran).ShouldBe((HttpStatusCode.InternalServerError, 0));
        (await app.GetAsync("/free")).ShouldBe("free");
    }

    [Fact]
    public async Task Gate_DisposedBeforeTheRequest_Is503()
    {
        await using var app = await GateApp.StartAsync(static o => o.PermitLimit = 1);
        await app.Gate.DisposeAsync();

        using var refused = await app.SendAsync("/hold");

        refused.StatusCode.ShouldBe(HttpStatusCode.ServiceUnavailable);
    }

    [Fact]
    public async Task Gate_DisposedWhileARequestWaits_TheRequestIsAnswered503()
    {
        await using var app = await GateApp.StartAsync(static o => o.PermitLimit = 1);
        var inside = app.SendAsync("/hold");
        await app.UntilAsync(static gate => gate.Held == 1);
        var waiting = app.SendAsync("/hold");
        await app.UntilAsync(static gate => gate.Queued == 1);

        await app.Gate.DisposeAsync();

        using var refused = await waiting;
        refused.StatusCode.ShouldBe(HttpStatusCode.ServiceUnavailable);
        app.Release();
        (await inside).StatusCode.ShouldBe(HttpStatusCode.OK);
        await app.UntilAsync(static gate => gate.Held == 0);
    }
}
