using System.Net;
using System.Net.Http.Json;
using AdaptivePool.Hosting.Tests.Apps;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Mvc.ApplicationParts;
using Microsoft.Extensions.DependencyInjection;
using Shouldly;
using Xunit;

namespace AdaptivePool.Hosting.Tests.Requests;

public sealed class RequestPlaceTests
{
    [Fact]
    public async Task UseAdaptivePool_SynchronousEndpoint_RunsOnWorker()
    {
        await using var app = await TestApp.StartAsync(it =>
        {
            it.UseAdaptivePool();
            it.MapGet("/", Whereabouts.Here);
        });

        (await app.GetAsync("/")).ShouldBe(Whereabouts.Pool);
    }

    [Fact]
    public async Task UseAdaptivePool_AsynchronousEndpoint_RunsOnWorkerAfterEachAwait()
    {
        await using var app = await TestApp.StartAsync(it =>
        {
            it.UseAdaptivePool();
            it.MapPost("/", async (HttpContext context) =>
            {
                var places = new List<string> { Whereabouts.Here() };
                await Task.Yield();
                places.Add(Whereabouts.Here());
                await Task.Delay(5);
                places.Add(Whereabouts.Here());
                using var reader = new StreamReader(context.Request.Body);
                await reader.ReadToEndAsync();
                places.Add(Whereabouts.Here());
                await Task.Run(static () => { });
                places.Add(Whereabouts.Here());
                return string.Join(',', places);
            });
        });

        using var answer = await app.Client.PostAsync(new Uri("/", UriKind.Relative), new StringContent(new string('x', 100_000)));

        (await answer.Content.ReadAsStringAsync()).ShouldBe("pool,pool,pool,pool,pool");
    }

    [Fact]
    public async Task UseAdaptivePool_MinimalApiWithBody_BindsAndRunsOnWorker()
    {
        await using var app = await TestApp.StartAsync(it =>
        {
            it.UseAdaptivePool();
            it.MapPost("/{id:int}", (int id, Amount body, AdaptiveThreadPool pool)
                => TypedResults.Ok(new Amount(body.Value + id, ReferenceEquals(AdaptiveThreadPool.Current, pool) ? "own pool" : "elsewhere")));
        });

        using var answer = await app.Client.PostAsJsonAsync("/40", new Amount(2, ""));

        answer.StatusCode.ShouldBe(HttpStatusCode.OK);
        (await answer.Content.ReadFromJsonAsync<Amount>()).ShouldBe(new Amount(42, "own pool"));
    }

    [Theory]
    [InlineData("/places/sync", "pool")]
    [InlineData("/places/async", "pool,pool")]
    [InlineData("/places/disabled", "runtime")]
    [InlineData("/places/named", "named-by-attribute")]
    [InlineData("/places/unnamed/7", "7:GET /places/unnamed/{id}")]
    public async Task UseAdaptivePool_ControllerAction_RunsWhereItsMetadataSays(string path, string expected)
    {
        await using var app = await StartControllersAsync();

        (await app.GetAsync(path)).ShouldBe(expected);
    }

    [Fact]
    public async Task UseAdaptivePool_ControllerActionWithBody_BindsAndRunsOnWorker()
    {
        await using var app = await StartControllersAsync();

        using var answer = await app.Client.PostAsJsonAsync("/places/echo", new PlacesController.Place("Ulm"));

        (await answer.Content.ReadAsStringAsync()).ShouldBe("Ulm:pool");
    }

    [Fact]
    public async Task UseAdaptivePool_ActionsOfOneConventionalRoute_AreClassesOfTheirOwn()
    {
        await using var app = await StartControllersAsync();

        var first = await app.GetAsync("/Conventional/First");
        var second = await app.GetAsync("/Conventional/Second");

        first.ShouldContain("ConventionalController.First");
        second.ShouldContain("ConventionalController.Second");
    }

    [Theory]
    [InlineData("/sync", "pool")]
    [InlineData("/async", "pool")]
    [InlineData("/leaves", "runtime")]
    public async Task UseAdaptivePool_RequestEnds_TheServersContinuationRunsOnWorkerWithoutContext(string path, string handlerEnd)
    {
        var start = "";
        var end = "";
        using var awaited = new ManualResetEventSlim();
        await using var app = await TestApp.StartAsync(it =>
        {
            it.Use((context, next) =>
            {
                start = Whereabouts.Here();
                var task = next(context);
                task.GetAwaiter().UnsafeOnCompleted(() => end = $"{Whereabouts.Here()},{SynchronizationContext.Current?.ToString() ?? "no context"}");
                awaited.Set();
                return task;
            });
            it.UseAdaptivePool();
            it.Run(async context =>
            {
                // The answer must not be ready before the server waits for it: the server would then go on where it is.
                awaited.Wait(TestApp.Patience);
                if (context.Request.Path == "/async")
                {
                    await Task.Yield();
                }
                else if (context.Request.Path == "/leaves")
                {
                    await Task.Delay(5).ConfigureAwait(ConfigureAwaitOptions.ForceYielding);
                }

                await context.Response.WriteAsync(Whereabouts.Here());
            });
        });

        (await app.GetAsync(path)).ShouldBe(handlerEnd);
        await app.Application.StopAsync();

        start.ShouldBe(Whereabouts.Runtime);
        end.ShouldBe("pool,no context");
    }

    [Fact]
    public async Task UseAdaptivePool_CalledTwice_HopsOnce()
    {
        // With one worker a second hop could not run before the middleware in between has returned.
        var endedAtReturn = new List<bool>();
        await using var app = await TestApp.StartAsync(
            it =>
            {
                it.UseAdaptivePool();
                it.Use((context, next) =>
                {
                    var task = next(context);
                    endedAtReturn.Add(task.IsCompleted);
                    return task;
                });
                it.UseAdaptivePool();
                it.Run(static context =>
                {
                    context.Response.StatusCode = 204;
                    return Task.CompletedTask;
                });
            },
            settings: [new("AdaptivePool:MinThreads", "1"), new("AdaptivePool:MaxThreads", "1")]);

        await app.GetAsync("/");

        endedAtReturn.ShouldBe([true]);
    }

    private static Task<TestApp> StartControllersAsync() => TestApp.StartAsync(
        static it =>
        {
            it.UseAdaptivePool();
            it.MapControllers();
            it.MapControllerRoute("default", "{controller}/{action}");
        },
        static builder =>
        {
            builder.Services.AddAdaptivePool();
            builder.Services.AddControllers()
                .ConfigureApplicationPartManager(static manager => manager.ApplicationParts.Add(new AssemblyPart(typeof(TestApp).Assembly)));
        });

    private sealed record Amount(int Value, string Place);
}
