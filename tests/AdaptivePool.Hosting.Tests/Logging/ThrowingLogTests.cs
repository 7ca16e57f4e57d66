using System.Net;
using AdaptivePool.Admission;
using AdaptivePool.Balancing;
using AdaptivePool.Hosting.Tests.Apps;
using AdaptivePool.Hosting.Tests.Gates;
using Microsoft.AspNetCore.Builder;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Shouldly;
using Xunit;

namespace AdaptivePool.Hosting.Tests.Logging;

/// <summary>A log that throws changes no answer.</summary>
public sealed class ThrowingLogTests
{
    [Fact]
    public async Task ClassRefuses_Is503()
    {
        await using var held = new HeldPool();
        using var log = WatchedLog.Throwing("Refused");
        await using var app = await TestApp.StartAsync(
            it =>
            {
                it.UseAdaptivePool();
                held.Map(it);
                it.MapGet("/work", Whereabouts.Here).LimitQueue(1);
            },
            it =>
            {
                it.Configuration.AddInMemoryCollection(HeldPool.Settings);
                it.Services.AddAdaptivePool();
                log.AddTo(it);
            });
        await held.HoldAsync(app);
        var waiting = app.GetAsync("/work");
        await HeldPool.QueuedAsync(app.Pool, "GET /work", 1);

        using var refused = await app.Client.GetAsync(new Uri("/work", UriKind.Relative));

        refused.StatusCode.ShouldBe(HttpStatusCode.ServiceUnavailable);
        log.Count.ShouldBe(1);
        await held.DisposeAsync();
        (await waiting).ShouldBe(Whereabouts.Pool);
    }

    [Fact]
    public async Task GateRefuses_Is503()
    {
        using var log = WatchedLog.Throwing("GateRefused");
        await using var app = await GateApp.StartAsync(static o => (o.PermitLimit, o.QueueTimeout) = (1, TimeSpan.FromMilliseconds(20)), build: log.AddTo);
        var inside = app.SendAsync("/hold");
        await app.UntilAsync(static gate => gate.Held == 1);

        using var refused = await app.SendAsync("/hold");

        refused.StatusCode.ShouldBe(HttpStatusCode.ServiceUnavailable);
        log.Count.ShouldBe(1);
        app.Release();
        (await inside).StatusCode.ShouldBe(HttpStatusCode.OK);
    }

    // The pool is told of by the first request that it gets.
    [Fact]
    public async Task FirstRequestOfANamedPool_IsAnswered()
    {
        using var log = WatchedLog.Throwing("Enabled");
        await using var app = await TestApp.StartAsync(
            static it =>
            {
                it.UseAdaptivePool();
                it.MapGet("/report", static () => "done").RunOnAdaptivePool(pool: "reports");
            },
            it =>
            {
                it.Services.AddAdaptivePool("reports");
                log.AddTo(it);
            });

        (await app.GetAsync("/report")).ShouldBe("done");

        log.Count.ShouldBe(2, "the pool without a name is told of at the start");
    }

    [Fact]
    public async Task RequestOfAnUnknownBalancer_IsAnswered()
    {
        using var log = WatchedLog.Throwing("UnknownBalancer");
        await using var app = await TestApp.StartAsync(
            static it =>
            {
                it.UseLoadReporting();
                it.MapGet("/work", static () => "done");
            },
            it =>
            {
                it.Services.AddLoadReporting(static options => options.Balancers.Add("front"));
                log.AddTo(it);
            });
        using HttpRequestMessage request = new(HttpMethod.Get, "/work");
        request.Headers.Add(LoadReport.BalancerHeaderName, "other");

        using var answer = await app.Client.SendAsync(request);

        answer.StatusCode.ShouldBe(HttpStatusCode.OK);
        log.Count.ShouldBe(1);
    }
}
