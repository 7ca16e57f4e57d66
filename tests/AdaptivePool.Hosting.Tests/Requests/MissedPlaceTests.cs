using AdaptivePool.Hosting.Tests.Apps;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Routing;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using Shouldly;
using Xunit;

namespace AdaptivePool.Hosting.Tests.Requests;

/// <summary>Endpoints that say where they run, in an application that uses the pool in a branch of its pipeline only.</summary>
public sealed class MissedPlaceTests
{
    private readonly RecordedLog _log = new();

    [Fact]
    public async Task Endpoint_ReachedPastThePool_IsToldOnce()
    {
        await using var app = await StartAsync("true");

        for (var i = 0; i < 3; i++)
        {
            (await app.GetAsync("/pool/class")).ShouldBe(Whereabouts.Pool);
            (await app.GetAsync("/class")).ShouldBe(Whereabouts.Runtime);
            (await app.GetAsync("/queue")).ShouldBe(Whereabouts.Runtime);
            (await app.GetAsync("/disabled")).ShouldBe(Whereabouts.Runtime);
            (await app.GetAsync("/plain")).ShouldBe(Whereabouts.Runtime);
        }

        const string missed = "' is to run on the AdaptivePool, but a request reached it without passing UseAdaptivePool(). Such requests run on the "
            + "runtime's thread pool. Call 'app.UseAdaptivePool()' after 'app.UseRouting()', in the branch of the endpoint or before all branches.";
        Warnings.ShouldBe(["The endpoint '/class" + missed, "The endpoint '/queue" + missed]);
    }

    [Fact]
    public async Task Endpoint_WhileSwitchedOff_IsNotTold()
    {
        await using var app = await StartAsync("false");

        (await app.GetAsync("/class")).ShouldBe(Whereabouts.Runtime);

        Warnings.ShouldBeEmpty();
    }

    [Fact]
    public async Task PoolInThePipelineOfTheEndpointItself_IsNotTold()
    {
        await using var app = await TestApp.StartAsync(
            static it =>
            {
                var own = ((IEndpointRouteBuilder)it).CreateApplicationBuilder();
                own.UseAdaptivePool();
                own.Run(static context => context.Response.WriteAsync(Whereabouts.Here()));
                it.MapGet("/own", own.Build()).RunOnAdaptivePool("reports");
            },
            it =>
            {
                it.Logging.AddProvider(_log).AddFilter("AdaptivePool", LogLevel.Trace);
                it.Services.AddAdaptivePool();
            });

        (await app.GetAsync("/own")).ShouldBe(Whereabouts.Pool);
        (await app.GetAsync("/own")).ShouldBe(Whereabouts.Pool);

        Warnings.ShouldBeEmpty();
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task EndpointOfABranchThatRoutesByItselfBeforeThePool_IsToldOnce(bool namesClass)
    {
        await using var app = await TestApp.StartAsync(
            it =>
            {
                it.Map("/branch", branch =>
                {
                    branch.UseRouting();
                    branch.UseEndpoints(routes =>
                    {
                        var endpoint = routes.MapGet("/class", Whereabouts.Here).WithDisplayName("/class");
                        _ = namesClass ? endpoint.RunOnAdaptivePool("reports") : endpoint;
                    });
                });
                it.UseAdaptivePool();
                it.MapGet("/pool", Whereabouts.Here).RunOnAdaptivePool("reports");
            },
            it =>
            {
                it.Logging.AddProvider(_log).AddFilter("AdaptivePool", LogLevel.Trace);
                it.Services.AddAdaptivePool();
            });
        for (var i = 0; i < 2; i++)
        {
            (await app.GetAsync("/branch/class")).ShouldBe(Whereabouts.Runtime);
            (await app.GetAsync("/pool")).ShouldBe(Whereabouts.Pool);
        }

        Warnings.Count(static text => text.StartsWith("The endpoint '/class' is to run on", StringComparison.Ordinal)).ShouldBe(namesClass ? 1 : 0);
        Warnings.Count.ShouldBe(namesClass ? 1 : 0);
    }

    // Of a slow machine there may be others.
    private List<string> Warnings =>
        [.. _log.Lines.Where(static line => line.Text.Contains("UseAdaptivePool()", StringComparison.Ordinal)).Select(static line => line.Text)];

    private Task<TestApp> StartAsync(string enabled) => TestApp.StartAsync(
        static it =>
        {
            it.UseWhen(static context => context.Request.Path.StartsWithSegments("/pool"), static branch => branch.UseAdaptivePool());
            it.MapGet("/pool/class", Whereabouts.Here).RunOnAdaptivePool("reports");
            it.MapGet("/class", Whereabouts.Here).RunOnAdaptivePool("reports").WithDisplayName("/class");
            it.MapGet("/queue", Whereabouts.Here).LimitQueue(maxQueued: 10).WithDisplayName("/queue");
            it.MapGet("/disabled", Whereabouts.Here).RunOnAdaptivePool("reports").DisableAdaptivePool();
            it.MapGet("/plain", Whereabouts.Here);
        },
        it =>
        {
            it.Logging.AddProvider(_log).AddFilter("AdaptivePool", LogLevel.Trace);
            it.Services.AddAdaptivePool();
        },
        [new("AdaptivePool:Enabled", enabled)]);
}
