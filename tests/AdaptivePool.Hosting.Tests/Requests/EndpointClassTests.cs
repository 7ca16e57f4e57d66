using AdaptivePool.Hosting.Tests.Apps;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Shouldly;
using Xunit;

namespace AdaptivePool.Hosting.Tests.Requests;

public sealed class EndpointClassTests
{
    [Fact]
    public async Task Endpoint_WithoutMetadata_IsAClassNamedByMethodAndPattern()
    {
        await using var app = await TestApp.StartAsync(it =>
        {
            it.UseAdaptivePool();
            it.MapGet("/accounts/{id}", () => it.ActiveClasses());
            it.MapPost("/accounts/{id}", () => it.ActiveClasses());
            it.Map("/any", () => it.ActiveClasses());
            it.MapGroup("/group").MapGet("inner", () => it.ActiveClasses());
        });

        (await app.GetAsync("/accounts/1")).ShouldBe("GET /accounts/{id}");
        (await app.GetAsync("/accounts/2")).ShouldBe("GET /accounts/{id}");
        using var post = await app.Client.PostAsync(new Uri("/accounts/1", UriKind.Relative), null);
        (await post.Content.ReadAsStringAsync()).ShouldBe("POST /accounts/{id}");
        (await app.GetAsync("/any")).ShouldBe("/any");
        (await app.GetAsync("/group/inner")).ShouldBe("GET /group/inner");
    }

    [Fact]
    public async Task Request_WithoutEndpoint_BelongsToDefaultClass()
    {
        await using var app = await TestApp.StartAsync(it =>
        {
            it.UseAdaptivePool();
            it.Run(context => context.Response.WriteAsync(it.ActiveClasses()));
        });

        (await app.GetAsync("/nowhere")).ShouldBe(app.Pool.DefaultClass.Name);
    }

    [Fact]
    public async Task RunOnAdaptivePool_Name_NamesTheClassThatSeveralEndpointsShare()
    {
        await using var app = await TestApp.StartAsync(it =>
        {
            it.UseAdaptivePool();
            it.MapGet("/a", () => it.ActiveClasses()).RunOnAdaptivePool("reports");
            it.MapGet("/b", () => it.ActiveClasses()).WithMetadata(new RunOnAdaptivePoolAttribute("reports"));
        });

        (await app.GetAsync("/a")).ShouldBe("reports");
        (await app.GetAsync("/b")).ShouldBe("reports");
        app.Pool.GetSnapshot().Classes.Count(workClass => workClass.Name == "reports").ShouldBe(1);
    }

    [Fact]
    public async Task RunOnAdaptivePool_SeveralTimes_LastWins()
    {
        await using var app = await TestApp.StartAsync(it =>
        {
            it.UseAdaptivePool();
            var group = it.MapGroup("").RunOnAdaptivePool("group");
            group.MapGet("/group", () => it.ActiveClasses());
            group.MapGet("/last", () => it.ActiveClasses()).RunOnAdaptivePool("first").RunOnAdaptivePool("last");
            group.MapGet("/own", () => it.ActiveClasses()).RunOnAdaptivePool();
        });

        (await app.GetAsync("/group")).ShouldBe("group");
        (await app.GetAsync("/last")).ShouldBe("last");
        (await app.GetAsync("/own")).ShouldBe("GET /own");
    }

    [Fact]
    public async Task DisableAdaptivePool_Endpoint_RunsOnRuntimePool()
    {
        await using var app = await TestApp.StartAsync(it =>
        {
            it.UseAdaptivePool();
            it.MapGet("/", async () =>
            {
                var before = Whereabouts.Here();
                await Task.Yield();
                return $"{before},{Whereabouts.Here()}";
            }).DisableAdaptivePool();
        });

        (await app.GetAsync("/")).ShouldBe("runtime,runtime");
    }

    [Fact]
    public async Task DisableAdaptivePool_WithRunOnAdaptivePool_BeatsItInEitherOrder()
    {
        await using var app = await TestApp.StartAsync(it =>
        {
            it.UseAdaptivePool();
            it.MapGet("/a", Whereabouts.Here).DisableAdaptivePool().RunOnAdaptivePool("reports");
            it.MapGet("/b", Whereabouts.Here).RunOnAdaptivePool("reports").DisableAdaptivePool();
            it.MapGroup("/group").DisableAdaptivePool().MapGet("/c", Whereabouts.Here).RunOnAdaptivePool("reports");
        });

        (await app.GetAsync("/a")).ShouldBe(Whereabouts.Runtime);
        (await app.GetAsync("/b")).ShouldBe(Whereabouts.Runtime);
        (await app.GetAsync("/group/c")).ShouldBe(Whereabouts.Runtime);
    }

    [Theory]
    [InlineData("")]
    [InlineData(" ")]
    public void RunOnAdaptivePool_EmptyName_Throws(string name) =>
        Should.Throw<ArgumentException>(() => TestApp.Build(it => it.MapGet("/", Whereabouts.Here).RunOnAdaptivePool(name)));
}
