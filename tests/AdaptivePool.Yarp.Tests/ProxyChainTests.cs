using AdaptivePool.Balancing;
using Microsoft.AspNetCore.Builder;
using Microsoft.Extensions.DependencyInjection;

namespace AdaptivePool.Yarp.Tests;

/// <summary>A proxy that is the backend of another one, and reports its own load to it.</summary>
public sealed class ProxyChainTests
{
    /// <summary>The name that the outer one sends counted as forged, with each request.</summary>
    [Fact]
    public async Task InnerProxy_KnowsTheOuterOne_CountsNoForgery()
    {
        await using ProxyFixture inner = await ProxyFixture.StartAsync(
            CollaborativePolicies.Collaborative, it => it.BalancerName = "inner", services: it => it.AddLoadReporting(load => load.Balancers.Add("outer")),
            map: app =>
            {
                app.UseLoadReporting();
                app.MapReverseProxy();
            });
        inner.Backends[0].Report = inner.Backends[1].Report = "run=1; seq=1; rif=3";
        await using ProxyFixture outer = await ProxyFixture.StartAsync(
            CollaborativePolicies.Collaborative, it => it.BalancerName = "outer", backends: 0, more: [inner.Client.BaseAddress!.ToString()]);
        for (int i = 0; i < 3; i++)
        {
            (await outer.Client.GetStringAsync("/")).ShouldBe("ok");
        }

        inner.Count("forged").ShouldBe(0);
        inner.Count("reports.taken").ShouldBe(3, "the backends tell the inner one");
        outer.Count("reports.taken").ShouldBe(3, "the inner one tells its own load");
        inner.Backends.SelectMany(static b => b.Asked).ShouldAllBe(static it => it.Balancer == "inner");

        // Any other name still is one.
        using HttpRequestMessage request = new(HttpMethod.Get, "/");
        request.Headers.Add(LoadReport.BalancerHeaderName, "impostor");
        using HttpResponseMessage response = await inner.Client.SendAsync(request);
        inner.Count("forged").ShouldBe(1);
    }
}
