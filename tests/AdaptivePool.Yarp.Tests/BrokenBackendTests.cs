using System.Net;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.DependencyInjection;
using Yarp.ReverseProxy;
using Yarp.ReverseProxy.Configuration;
using Yarp.ReverseProxy.Forwarder;
using Yarp.ReverseProxy.Model;

namespace AdaptivePool.Yarp.Tests;

/// <summary>Backends that fail otherwise than by an answer, and what else may stand in the proxy's pipeline.</summary>
public sealed class BrokenBackendTests
{
    [Theory]
    [InlineData(Break.Resets)]
    [InlineData(Break.AnswersSomethingElse)]
    [InlineData(Break.ResetsInTheContent)]
    public async Task BreakingBackend_ThatFailsAtOnce_GetsNoMoreThanOthers(Break how)
    {
        // It had the least work of all for as long as a second.
        using BreakingServer breaking = new(how);
        await using ProxyFixture proxy = await ProxyFixture.StartAsync(CollaborativePolicies.Collaborative, waits: true, more: [breaking.Url]);
        await Task.WhenAll(Enumerable.Range(0, 8).Select(_ => Task.Run(async () =>
        {
            for (int i = 0; i < 50; i++)
            {
                try
                {
                    using HttpResponseMessage response = await proxy.Client.GetAsync("/");
                }
                catch (HttpRequestException)
                {
                    // Broken off in the content.
                }
            }
        })));

        breaking.Requests.ShouldBeInRange(1, 400 / 3);
        SpinWait.SpinUntil(() => proxy.Observe("in_flight") == 0, TimeSpan.FromSeconds(30)).ShouldBeTrue();
    }

    [Fact]
    public async Task Request_SentOnceMoreByAnotherMiddleware_IsInFlightOnce()
    {
        // Both attempts were in flight until the second one had ended.
        TaskCompletionSource inside = new(), goes = new();
        using BreakingServer breaking = new(Break.Resets);
        await using WebApplication backend = await Front.StartAsync(app => app.Run(async context =>
        {
            inside.TrySetResult();
            await goes.Task;
            await context.Response.WriteAsync("ok");
        }));
        await using ProxyFixture proxy = await ProxyFixture.StartAsync(
            CollaborativePolicies.Collaborative, backends: 0, more: [breaking.Url, backend.Urls.First()], map: app => app.MapReverseProxy(pipeline =>
            {
                pipeline.Use(async (context, next) =>
                {
                    await next();
                    if (context.GetForwarderErrorFeature() is not null)
                    {
                        context.Features.Set<IForwarderErrorFeature>(null);
                        context.Response.StatusCode = StatusCodes.Status200OK;
                        IReverseProxyFeature feature = context.GetReverseProxyFeature();
                        feature.AvailableDestinations = [.. feature.AllDestinations.Where(it => it != feature.ProxiedDestination)];
                        await next();
                    }
                });
                pipeline.UseAdaptivePoolLoadBalancing();
                pipeline.UseLoadBalancing();
            }));
        Task<string>[] requests = [.. Enumerable.Range(0, 2).Select(_ => proxy.Client.GetStringAsync("/"))];
        await inside.Task.WaitAsync(TimeSpan.FromSeconds(30));

        // Both have met the broken backend where the second one came after the first one had met it.
        SpinWait.SpinUntil(
            () => breaking.Requests > 0 && proxy.Observe("admitted") >= 3 && proxy.Observe("in_flight") == 2, TimeSpan.FromSeconds(30)).ShouldBeTrue();
        goes.SetResult();
        (await Task.WhenAll(requests)).ShouldBe(["ok", "ok"]);
    }

    [Fact]
    public async Task Request_SentOnceMoreByAMiddlewareThatLeavesTheErrorThere_IsAGoodAnswerOfTheSecond()
    {
        // It counted as a failed one, and the destination that had answered got no request while others were idle.
        using BreakingServer breaking = new(Break.Resets);
        await using ProxyFixture proxy = await ProxyFixture.StartAsync(
            CollaborativePolicies.Collaborative, more: [breaking.Url], map: app => app.MapReverseProxy(pipeline =>
            {
                pipeline.Use(async (context, next) =>
                {
                    IReverseProxyFeature feature = context.GetReverseProxyFeature();
                    DestinationState[] all = [.. feature.AllDestinations.OrderBy(static it => it.DestinationId, StringComparer.Ordinal)];
                    if (context.Request.Path == "/again")
                    {
                        feature.AvailableDestinations = [all[2]];
                        await next();
                        context.GetForwarderErrorFeature().ShouldNotBeNull();
                        context.Response.StatusCode = StatusCodes.Status200OK;
                        feature.AvailableDestinations = [all[0]];
                    }
                    else
                    {
                        feature.AvailableDestinations = [all[0], all[1]];
                    }

                    await next();
                });
                pipeline.UseAdaptivePoolLoadBalancing();
                pipeline.UseLoadBalancing();
            }));
        for (int i = 0; i < 20; i++)
        {
            (await proxy.Client.GetStringAsync("/again")).ShouldBe("ok");
        }

        int[] sent = await proxy.SendAsync(10);
        sent[0].ShouldBeGreaterThan(1);
    }

    /// <summary>As for A/B tests: the cluster that a request really goes to has the policy.</summary>
    [Theory]
    [InlineData("RoundRobin", CollaborativePolicies.Collaborative, true)]
    [InlineData(CollaborativePolicies.Collaborative, "RoundRobin", false)]
    public async Task Request_ReassignedToAnotherCluster_IsBalancedByTheOther(string own, string other, bool isTaken)
    {
        await using ProxyFixture proxy = await ProxyFixture.StartAsync(own, waits: true, map: app => app.MapReverseProxy(pipeline =>
        {
            pipeline.Use((context, next) =>
            {
                context.RequestServices.GetRequiredService<IProxyStateLookup>().TryGetCluster("other", out var cluster).ShouldBeTrue();
                context.ReassignProxyRequest(cluster!);
                return next();
            });
            pipeline.UseAdaptivePoolLoadBalancing();
            pipeline.UseLoadBalancing();
        }), reassigned: other);
        proxy.Backends[0].Report = proxy.Backends[1].Report = "run=1; seq=1; rif=3";
        await proxy.SendAsync(10);
        proxy.Count(isTaken ? "reports.taken" : "reports.unasked").ShouldBe(10);
        proxy.Backends.SelectMany(static b => b.Asked).ShouldAllBe(it => it.Balancer == (isTaken ? "proxy" : null));
        SpinWait.SpinUntil(() => proxy.Observe("in_flight") == 0, TimeSpan.FromSeconds(30)).ShouldBeTrue();
        proxy.Observe("admitted").ShouldBe(isTaken ? 10 : 0);
    }

    [Fact]
    public async Task Session_ThatBelongsToABackendAtItsLimit_HoldsNoOtherUp()
    {
        // All stood in one line behind it, for as long as a request may wait.
        await using ProxyFixture proxy = await ProxyFixture.StartAsync(
            CollaborativePolicies.Collaborative, it => it.MostWait = TimeSpan.FromMinutes(1), map: app => app.MapReverseProxy(pipeline =>
            {
                pipeline.UseSessionAffinity();
                pipeline.UseAdaptivePoolLoadBalancing();
                pipeline.UseLoadBalancing();
            }), affinity: new SessionAffinityConfig { Enabled = true, Policy = "ArrCookie", AffinityKeyName = "backend" });
        proxy.Backends[0].Report = "run=1; seq=1; op=0.001";
        proxy.Backends[1].Report = "run=1; seq=1";
        string? session = null;
        while (proxy.Backends[0].Requests == 0)
        {
            using HttpResponseMessage response = await proxy.Client.GetAsync("/");
            session = response.Headers.GetValues("Set-Cookie").Single().Split(';')[0];
        }

        using CancellationTokenSource end = new();
        Task[] waiting = [.. Enumerable.Range(0, 3).Select(async _ =>
        {
            using HttpRequestMessage request = new(HttpMethod.Get, "/");
            request.Headers.Add("Cookie", session);
            using HttpResponseMessage response = await proxy.Client.SendAsync(request, end.Token);
        })];
        for (int i = 0; i < 20; i++)
        {
            (await proxy.Client.GetStringAsync("/").WaitAsync(TimeSpan.FromSeconds(20))).ShouldBe("ok");
        }

        waiting.Count(static it => !it.IsCompleted).ShouldBeGreaterThan(0, "its own requests wait");
        await end.CancelAsync();
        await Should.ThrowAsync<OperationCanceledException>(() => Task.WhenAll(waiting));
    }

    /// <summary>The session belonged to both: the failure had a cookie of its own.</summary>
    [Fact]
    public async Task DeadBackend_IsNoPartOfTheAnswerOfTheOther()
    {
        await using ProxyFixture proxy = await ProxyFixture.StartAsync(
            CollaborativePolicies.Collaborative, backends: 1, more: ["http://127.0.0.1:1"], map: app => app.MapReverseProxy(pipeline =>
            {
                pipeline.Use((context, next) =>
                {
                    context.Response.Headers["X-Before"] = "kept";
                    return next(context);
                });
                pipeline.UseSessionAffinity();
                pipeline.UseAdaptivePoolLoadBalancing();
                pipeline.UseLoadBalancing();
            }), affinity: new SessionAffinityConfig { Enabled = true, Policy = "ArrCookie", AffinityKeyName = "backend" });
        bool wasTriedTwice = false;
        for (int requests = 1; requests <= 20 && !wasTriedTwice; requests++)
        {
            using HttpResponseMessage response = await proxy.Client.GetAsync("/");
            response.StatusCode.ShouldBe(HttpStatusCode.OK);
            response.Headers.GetValues("Set-Cookie").Count().ShouldBe(1);
            response.Headers.GetValues("X-Before").ShouldBe(["kept"]);
            wasTriedTwice = proxy.Observe("admitted") > requests;
        }

        wasTriedTwice.ShouldBeTrue("one of them was sent to the dead one first");
    }

    [Fact]
    public async Task AllSilent_AreTriedTwice_NotEach()
    {
        SilentServer[] silent = await Task.WhenAll(Enumerable.Range(0, 4).Select(static _ => SilentServer.StartAsync(connects: false)));
        await using ProxyFixture proxy = await ProxyFixture.StartAsync(CollaborativePolicies.Collaborative, waits: true, backends: 0,
            more: [.. silent.Select(static it => it.Url)], connectTimeout: TimeSpan.FromMilliseconds(200));
        using HttpResponseMessage response = await proxy.Client.GetAsync("/");
        response.StatusCode.ShouldBe(HttpStatusCode.GatewayTimeout);
        proxy.Observe("admitted").ShouldBe(2);
        Array.ForEach(silent, static it => it.Dispose());
    }
}
