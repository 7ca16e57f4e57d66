using System.Collections.Concurrent;
using System.Diagnostics;
using System.Globalization;
using AdaptivePool.Hosting.Tests.Apps;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Shouldly;
using Xunit;

namespace AdaptivePool.Hosting.Tests.Requests;

public sealed class RequestFlowTests
{
    private static readonly AsyncLocal<string?> s_local = new();

    [Fact]
    public async Task HttpContextAccessor_InHandlerAndAfterAwait_IsTheRequestsContext()
    {
        await using var app = await TestApp.StartAsync(
            it =>
            {
                it.UseAdaptivePool();
                it.MapGet("/{id}", async (HttpContext context, IHttpContextAccessor accessor) =>
                {
                    var before = ReferenceEquals(context, accessor.HttpContext);
                    await Task.Delay(1);
                    return $"{before},{ReferenceEquals(context, accessor.HttpContext)},{accessor.HttpContext?.Request.Path}";
                });
            },
            builder => builder.Services.AddAdaptivePool().AddHttpContextAccessor());

        var answers = await Task.WhenAll(Enumerable.Range(0, 20).Select(i => app.GetAsync($"/{i}")));

        answers.ShouldBe(Enumerable.Range(0, 20).Select(i => $"True,True,/{i}"));
    }

    [Fact]
    public async Task AsyncLocal_SetByOuterMiddleware_FlowsInAndNothingFlowsOut()
    {
        var after = new List<string?>();
        await using var app = await TestApp.StartAsync(it =>
        {
            it.Use(async (context, next) =>
            {
                s_local.Value = "outer";
                await next(context);
                after.Add(s_local.Value);
            });
            it.UseAdaptivePool();
            it.MapGet("/sync", () => Replace("inner"));
            it.MapGet("/async", async () =>
            {
                await Task.Yield();
                return Replace("inner");
            });
        });

        (await app.GetAsync("/sync")).ShouldBe("outer");
        (await app.GetAsync("/async")).ShouldBe("outer");
        await app.Application.StopAsync();

        after.ShouldBe(["outer", "outer"]);
    }

    [Fact]
    public async Task AsyncLocal_SetInOneRequest_IsNotSeenByTheNextOnTheSameWorker()
    {
        await using var app = await TestApp.StartAsync(
            it =>
            {
                it.UseAdaptivePool();
                it.MapGet("/", () => $"{Replace("left behind")}{Environment.CurrentManagedThreadId}");
            },
            settings: [new("AdaptivePool:MinThreads", "1"), new("AdaptivePool:MaxThreads", "1")]);

        var first = await app.GetAsync("/");
        using var otherConnection = new HttpClient { BaseAddress = app.Address };
        var second = await otherConnection.GetStringAsync(new Uri("/", UriKind.Relative));

        second.ShouldBe(first);
        int.TryParse(second, NumberStyles.None, CultureInfo.InvariantCulture, out _).ShouldBeTrue(second);
    }

    [Fact]
    public async Task AsyncLocal_SetInRequest_IsNotSeenByLaterWorkItemsOnTheSameWorker()
    {
        await using var app = await TestApp.StartAsync(
            it =>
            {
                it.UseAdaptivePool();
                it.Run(context =>
                {
                    s_local.Value = "left behind";
                    return context.Response.WriteAsync(Whereabouts.Here());
                });
            },
            settings: [new("AdaptivePool:MinThreads", "1"), new("AdaptivePool:MaxThreads", "1")]);
        await app.GetAsync("/");

        var reader = new LocalReader();
        app.Pool.UnsafeQueueUserWorkItem(reader, preferLocal: false);

        (await reader.Value.WaitAsync(TestApp.Patience)).ShouldBeNull();
    }

    [Fact]
    public async Task Activity_StartedByOuterMiddleware_IsCurrentInHandlerAndRestoredAfter()
    {
        var after = "";
        var expected = "";
        await using var app = await TestApp.StartAsync(it =>
        {
            it.Use(async (context, next) =>
            {
                using var activity = new Activity("request").SetIdFormat(ActivityIdFormat.W3C).Start();
                expected = activity.Id!;
                await next(context);
                after = Activity.Current?.Id ?? "none";
            });
            it.UseAdaptivePool();
            it.MapGet("/", async () =>
            {
                var before = Activity.Current?.Id;
                using var child = new Activity("inner").Start();
                await Task.Delay(1);
                return $"{before},{child.ParentId},{ReferenceEquals(Activity.Current, child)}";
            });
        });

        (await app.GetAsync("/")).ShouldBe($"{expected},{expected},True");
        await app.Application.StopAsync();

        after.ShouldBe(expected);
    }

    [Fact]
    public async Task Culture_SetByOuterMiddleware_FlowsInAndDoesNotStayOnTheWorker()
    {
        await using var app = await TestApp.StartAsync(
            it =>
            {
                it.Use((context, next) =>
                {
                    if (context.Request.Path == "/with")
                    {
                        CultureInfo.CurrentCulture = new CultureInfo("") { NumberFormat = { NumberDecimalSeparator = "!" } };
                    }

                    return next(context);
                });
                it.UseAdaptivePool();
                it.MapGet("/with", () => 1.5.ToString(CultureInfo.CurrentCulture));
                it.MapGet("/without", () => 1.5.ToString(CultureInfo.CurrentCulture));
            },
            settings: [new("AdaptivePool:MinThreads", "1"), new("AdaptivePool:MaxThreads", "1")]);

        (await app.GetAsync("/with")).ShouldBe("1!5");
        (await app.GetAsync("/without")).ShouldBe("1.5");
    }

    [Fact]
    public async Task ExecutionContext_FlowSuppressed_RequestStillRuns()
    {
        await using var app = await TestApp.StartAsync(it =>
        {
            it.Use((context, next) =>
            {
                s_local.Value = "not flowed";
                using (ExecutionContext.SuppressFlow())
                {
                    return next(context);
                }
            });
            it.UseAdaptivePool();
            it.MapGet("/", () => $"{Whereabouts.Here()},{Replace("")}");
        });

        (await app.GetAsync("/")).ShouldBe("pool,");
    }

    /// <summary>That of a request that had waited too long was written outside of its flow: without its activity and its scopes.</summary>
    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task AsyncLocal_SetByOuterMiddleware_IsThereWhereARefusalIsLogged(bool isLate)
    {
        await using var held = new HeldPool();
        var seen = new ConcurrentQueue<string?>();
        using var log = new WatchedLog("Refused", () => seen.Enqueue(s_local.Value));
        await using var app = await TestApp.StartAsync(
            it =>
            {
                it.Use((context, next) =>
                {
                    s_local.Value = "of the request";
                    return next(context);
                });
                it.UseAdaptivePool();
                held.Map(it);
                it.MapGet("/work", static () => "done").LimitQueue(1, isLate ? TimeSpan.FromMilliseconds(1) : null);
            },
            it =>
            {
                it.Configuration.AddInMemoryCollection(HeldPool.Settings);
                it.Services.AddAdaptivePool();
                log.AddTo(it);
            });
        await held.HoldAsync(app);
        var waiting = app.Client.GetAsync(new Uri("/work", UriKind.Relative));
        await HeldPool.QueuedAsync(app.Pool, "GET /work", 1);
        if (isLate)
        {
            await Task.Delay(20);
        }
        else
        {
            using var refused = await app.Client.GetAsync(new Uri("/work", UriKind.Relative));
        }

        await held.DisposeAsync();
        using var answer = await waiting;

        seen.ShouldBe(["of the request"]);
    }

    private static string Replace(string value)
    {
        var old = s_local.Value ?? "";
        s_local.Value = value;
        return old;
    }

    private sealed class LocalReader : IThreadPoolWorkItem
    {
        private readonly TaskCompletionSource<string?> _source = new(TaskCreationOptions.RunContinuationsAsynchronously);

        public Task<string?> Value => _source.Task;

        public void Execute() => _source.SetResult(s_local.Value);
    }
}
