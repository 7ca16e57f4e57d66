using AdaptivePool.Hosting.Tests.Apps;
using Microsoft.AspNetCore.Builder;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using Shouldly;
using Xunit;

namespace AdaptivePool.Hosting.Tests.Requests;

/// <summary>What an application is told when it starts: one line, which says what to do.</summary>
public sealed class StartTests
{
    private readonly RecordedLog _log = new();

    private List<string> Warnings => [.. _log.Lines.Where(static line => line.Level >= LogLevel.Warning).Select(static line => line.Text)];

    [Fact]
    public async Task UseAdaptivePool_BeforeUseRouting_DoesNotStart()
    {
        await using var application = TestApp.Build(static it =>
        {
            it.UseAdaptivePool();
            it.UseRouting();
            it.MapGet("/", Whereabouts.Here).DisableAdaptivePool();
        });

        (await Should.ThrowAsync<InvalidOperationException>(() => application.StartAsync())).Message.ShouldBe(
            "UseAdaptivePool() stands before UseRouting(), where no request has an endpoint yet: call 'app.UseAdaptivePool()' after 'app.UseRouting()'.");
    }

    [Fact]
    public async Task UseAdaptivePool_BeforeUseRoutingWhileSwitchedOff_Starts()
    {
        await using var app = await TestApp.StartAsync(
            static it =>
            {
                it.UseAdaptivePool();
                it.UseRouting();
                it.MapGet("/", Whereabouts.Here);
            },
            settings: [new("AdaptivePool:Enabled", "false")]);

        (await app.GetAsync("/")).ShouldBe(Whereabouts.Runtime);
    }

    [Fact]
    public async Task UseAdaptivePool_AfterUseRouting_EndpointsRunWhereTheySay()
    {
        await using var app = await TestApp.StartAsync(it =>
        {
            it.UseRouting();
            it.UseAdaptivePool();
            it.MapGet("/own", () => it.ActiveClasses());
            it.MapGet("/named", () => it.ActiveClasses()).RunOnAdaptivePool("reports");
            it.MapGet("/disabled", Whereabouts.Here).DisableAdaptivePool();
        });

        (await app.GetAsync("/own")).ShouldBe("GET /own");
        (await app.GetAsync("/named")).ShouldBe("reports");
        (await app.GetAsync("/disabled")).ShouldBe(Whereabouts.Runtime);
    }

    [Fact]
    public async Task UseAdaptivePool_BeforeAndAfterUseRouting_EndpointsRunWhereTheySay()
    {
        await using var app = await TestApp.StartAsync(it =>
        {
            it.UseAdaptivePool();
            it.UseRouting();
            it.UseAdaptivePool();
            it.MapGet("/named", () => it.ActiveClasses()).RunOnAdaptivePool("reports");
            it.MapGet("/disabled", Whereabouts.Here).DisableAdaptivePool();
        });

        (await app.GetAsync("/named")).ShouldBe("reports");
        (await app.GetAsync("/disabled")).ShouldBe(Whereabouts.Runtime);
    }

    [Fact]
    public async Task UseAdaptivePool_Missing_IsToldOnce()
    {
        await using var app = await StartAsync(static it => it.MapGet("/", Whereabouts.Here));

        (await app.GetAsync("/")).ShouldBe(Whereabouts.Runtime);

        Warnings.ShouldBe(["AddAdaptivePool() was called, but requests run on the runtime's thread pool: call 'app.UseAdaptivePool()' before the application starts."]);
    }

    [Theory]
    [InlineData("true", "true", 0)]
    [InlineData("false", "false", 0)]
    [InlineData("true", "false", 1)]
    public async Task UseAdaptivePool_MissingOrNot_IsToldWhereItMatters(string enabled, string used, int lines)
    {
        await using var app = await StartAsync(
            it =>
            {
                if (used == "true")
                {
                    it.UseAdaptivePool();
                }
            },
            settings: [new("AdaptivePool:Enabled", enabled)]);

        Warnings.Count.ShouldBe(lines);
    }

    [Fact]
    public async Task MoreEndpointsThanClasses_IsToldOnceAtTheStart()
    {
        await using var app = await StartAsync(
            static it =>
            {
                it.UseAdaptivePool();
                for (var i = 0; i < 6; i++)
                {
                    it.MapGet($"/{i}", Whereabouts.Here);
                }
            },
            settings: [new("AdaptivePool:MaxClasses", "4"), new("AdaptivePool:Name", "crowded")]);
        const string expected = "Pool 'crowded': more than 4 work classes are named, and the last to come share the default class with one limit for all:"
            + " let endpoints that behave alike share a class with RunOnAdaptivePool(NAME), or raise 'AdaptivePool:MaxClasses'.";
        Warnings.ShouldBe([expected]);

        for (var i = 0; i < 6; i++)
        {
            (await app.GetAsync($"/{i}")).ShouldBe(Whereabouts.Pool);
        }

        Warnings.ShouldBe([expected]);
    }

    [Fact]
    public async Task ClassesThatOnlyCodeNames_LeaveNoRoom_IsToldWithTheKeyOfThatPool()
    {
        await using var app = await StartAsync(
            static it =>
            {
                it.UseAdaptivePool();
                it.MapGet("/", Whereabouts.Here).RunOnAdaptivePool(pool: "reports");
            },
            settings: [new("AdaptivePool:Pools:reports:MaxClasses", "2"), new("AdaptivePool:Pools:reports:Name", "narrow")]);
        Warnings.ShouldBeEmpty();
        app.Application.Services.GetRequiredKeyedService<AdaptiveThreadPool>("reports").GetClass("mine");

        (await app.GetAsync("/")).ShouldBe(Whereabouts.Pool);

        Warnings.ShouldHaveSingleItem().ShouldEndWith("or raise 'AdaptivePool:Pools:reports:MaxClasses'.");
    }

    [Fact]
    public async Task EndpointsThatFit_NothingIsTold()
    {
        await using var app = await StartAsync(
            static it =>
            {
                it.UseAdaptivePool();
                it.MapGet("/a", Whereabouts.Here);
                it.MapGet("/b", Whereabouts.Here);
                it.MapGet("/c", Whereabouts.Here).DisableAdaptivePool();
            },
            settings: [new("AdaptivePool:MaxClasses", "3")]);

        (await app.GetAsync("/b")).ShouldBe(Whereabouts.Pool);

        Warnings.ShouldBeEmpty();
    }

    private Task<TestApp> StartAsync(Action<WebApplication> configure, IEnumerable<KeyValuePair<string, string?>>? settings = null) => TestApp.StartAsync(
        configure,
        it =>
        {
            it.Logging.AddProvider(_log).AddFilter("AdaptivePool", LogLevel.Trace);
            it.Services.AddAdaptivePool("reports");
        },
        settings);
}
