using AdaptivePool.Balancing;
using AdaptivePool.Balancing.Overload;
using AdaptivePool.Hosting.Tests.Apps;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.DependencyInjection;
using Shouldly;
using Xunit;

namespace AdaptivePool.Hosting.Tests.Load;

/// <summary>Which time a backend tells of a request.</summary>
public sealed class LoadTimeTests
{
    [Theory]
    [InlineData("front")]
    [InlineData("stranger")]
    public async Task Answer_BegunBeforeTheMiddleware_IsCountedAndEnds(string balancer)
    {
        await using var app = await TestApp.StartAsync(
            static app =>
            {
                app.Use(async (context, next) =>
                {
                    await context.Response.WriteAsync("begun, ");
                    await next();
                });
                app.UseLoadReporting();
                app.MapGet("/work", static context => context.Response.WriteAsync("done"));
            },
            static builder => builder.Services.AddLoadReporting(static it => it.Balancers.Add("front")));
        using var request = new HttpRequestMessage(HttpMethod.Get, "/work");
        request.Headers.Add(LoadReport.BalancerHeaderName, balancer);
        using var response = await app.Client.SendAsync(request);
        (await response.Content.ReadAsStringAsync()).ShouldBe("begun, done");
        var meter = app.Application.Services.GetRequiredService<QueueMeter>();
        SpinWait.SpinUntil(() => meter.InFlight == 0, TestApp.Patience).ShouldBeTrue();
        meter.Read().Completed.ShouldBe(1);
    }

    [Theory]
    [InlineData("/stream", 1)]
    [InlineData("/stream?tunnel", 0)]
    [InlineData("/fail", 0)]
    [InlineData("/nowhere", 0)]
    [InlineData("/grpc", 0)]
    public async Task Time_IsThatUntilTheAnswerBegins_AndErrorsAndTunnelsHaveNone(string path, int answers)
    {
        // A stream of an hour that ended made its backend seem a thousand times as slow as the others, and it got nothing for some seconds.
        var clock = new PassingClock();
        await using var app = await TestApp.StartAsync(
            app =>
            {
                // The client of a test server cannot send it: so WebSockets come over HTTP/2.
                app.Use((context, next) =>
                {
                    context.Request.Method = context.Request.QueryString.HasValue ? HttpMethods.Connect : context.Request.Method;
                    return next(context);
                });
                app.UseLoadReporting();
                app.Map("/stream", async context =>
                {
                    await context.Response.StartAsync();
                    clock.Passed = TimeSpan.FromHours(1);
                });
                app.MapGet("/grpc", static context =>
                {
                    // UNAVAILABLE, before any message.
                    context.Response.Headers[GrpcStatus.HeaderName] = "14";
                    return Task.CompletedTask;
                });
                app.MapGet("/fail", static string () => throw new InvalidOperationException("wanted"));
            },
            builder =>
            {
                builder.Services.AddSingleton<TimeProvider>(clock);
                builder.Services.AddLoadReporting(static _ => { });
            });
        var monitor = app.Application.Services.GetRequiredService<OverloadMonitor>();
        var meter = app.Application.Services.GetRequiredService<QueueMeter>();
        await app.Client.GetAsync(path).ContinueWith(static _ => { }, TaskScheduler.Default);
        SpinWait.SpinUntil(() => meter.InFlight == 0, TestApp.Patience).ShouldBeTrue();
        monitor.Look();
        (monitor.Report().ServiceTimeAnswers ?? 0).ShouldBe(answers);
        (monitor.Report().ServiceTime ?? TimeSpan.Zero).ShouldBe(TimeSpan.Zero);
    }

    [Fact]
    public async Task End_OfRequestsThatWereNoWork_IsNoWait()
    {
        // Each waited for an instant, and since its arrival: hours in the case of a WebSocket.
        const int AtOnce = 8;
        var clock = new PassingClock();
        var inside = 0;
        var go = new TaskCompletionSource();
        await using var app = await TestApp.StartAsync(
            app =>
            {
                app.UseLoadReporting();
                app.MapGet("/busy", async () =>
                {
                    Interlocked.Increment(ref inside);
                    await go.Task;
                    return Results.StatusCode(StatusCodes.Status503ServiceUnavailable);
                });
            },
            builder =>
            {
                builder.Services.AddSingleton<TimeProvider>(clock);
                builder.Services.AddLoadReporting(static _ => { });
            });
        var meter = app.Application.Services.GetRequiredService<QueueMeter>();
        for (var round = 1; round <= 200; round++)
        {
            (inside, go) = (0, new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously));
            var requests = Task.WhenAll(Enumerable.Range(0, AtOnce).Select(_ => app.Client.GetAsync("/busy")));
            SpinWait.SpinUntil(() => Volatile.Read(ref inside) == AtOnce, TestApp.Patience).ShouldBeTrue();
            clock.Passed = TimeSpan.FromHours(round);
            go.SetResult();
            while (meter.InFlight > 0)
            {
                meter.Read().AverageWait.ShouldBe(TimeSpan.Zero);
            }

            Array.ForEach(await requests, static it => it.Dispose());
        }
    }
}
