using System.Collections.Concurrent;
using System.Diagnostics.Metrics;
using System.Net;
using AdaptivePool.Balancing.Overload;
using AdaptivePool.Diagnostics;
using AdaptivePool.Hosting.Tests.Apps;
using AdaptivePool.Hosting.Tests.Gates;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Connections.Features;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.DependencyInjection;
using Shouldly;
using Xunit;

namespace AdaptivePool.Hosting.Tests.Requests;

/// <summary>A request whose client has gone while it waited for a worker is not run.</summary>
public sealed class GoneClientTests
{
    private readonly HeldPool _held = new();
    private readonly SemaphoreSlim _aborted = new(0);
    private readonly ConcurrentQueue<int> _statuses = new();
    private int _ran;
    private int _pages;

    /// <summary>Stands among the statuses for an end by cancellation.</summary>
    private const int Canceled = 0;

    [Theory]
    [InlineData("1.1", 2, StatusCodes.Status499ClientClosedRequest)]
    [InlineData("2.0", 1, Canceled)]
    public async Task ClientGoesWhileItsRequestWaits_IsDroppedAndCountedAndOthersRun(string version, int signs, int end)
    {
        ConcurrentQueue<string> seen = [];
        using var listener = Listen("dropped", seen.Enqueue);
        await using var app = await StartAsync(version, "dropped " + version);
        await _held.HoldAsync(app);
        using var leaving = new CancellationTokenSource();
        Task<HttpResponseMessage>[] gone = [.. Enumerable.Range(0, 3).Select(_ => app.Client.GetAsync(new Uri("/work", UriKind.Relative), leaving.Token))];
        var staying = app.GetAsync("/work");
        await HeldPool.QueuedAsync(app.Pool, "GET /work", 4);

        // Who has hardly waited is not asked whether it is still there.
        await Task.Delay(50);

        await leaving.CancelAsync();
        foreach (var one in gone)
        {
            await Should.ThrowAsync<OperationCanceledException>(one);
        }

        for (var i = 0; i < gone.Length * signs; i++)
        {
            (await _aborted.WaitAsync(TestApp.Patience)).ShouldBeTrue();
        }

        await _held.DisposeAsync();
        (await staying).ShouldBe("done");
        (await app.GetAsync("/work")).ShouldBe("done");

        (_ran, _pages).ShouldBe((2, 0), "nobody would read the page of the status either");
        app.Pool.GetSnapshot().Classes.Single(static it => it.Name == "GET /work").Queued.ShouldBe(0);
        seen.ShouldBe(Enumerable.Repeat($"1 pool=dropped {version} class=GET /work", 3));

        // The pipeline before the pool sees them end. A connection that lives says nothing of a request that was taken back.
        await GuestApps.EventuallyAsync(() => _statuses.Count(it => it == end) == 3);
    }

    [Fact]
    public async Task ClientGoesWhileItsRequestRuns_RunsToItsEnd()
    {
        await using var app = await StartAsync("1.1", "running");
        using var leaving = new CancellationTokenSource();
        var request = app.Client.GetAsync(new Uri("/slow", UriKind.Relative), leaving.Token);
        (await _held.EnteredAsync()).ShouldBeTrue();

        await leaving.CancelAsync();
        await Should.ThrowAsync<OperationCanceledException>(request);
        (await _aborted.WaitAsync(TestApp.Patience)).ShouldBeTrue();
        _held.Open();

        (await app.GetAsync("/work")).ShouldBe("done");
        await GuestApps.EventuallyAsync(() => Volatile.Read(ref _ran) == 2);
    }

    [Theory]
    [InlineData(true, HttpStatusCode.GatewayTimeout)]
    [InlineData(false, HttpStatusCode.Conflict)]
    public async Task RequestTimesOutWhileItWaits_ItsClientIsAnsweredAsTheTimeoutSays(bool byTheFramework, HttpStatusCode expected)
    {
        await using var app = await TestApp.StartAsync(
            it =>
            {
                it.UseLoadReporting();
                if (byTheFramework)
                {
                    it.UseRequestTimeouts();
                }
                else
                {
                    it.Use(TimeOutAsync);
                }

                it.Use(async (context, next) =>
                {
                    using var registration = context.RequestAborted.Register(() => _aborted.Release());
                    await next(context);
                });
                it.UseAdaptivePool();
                _held.Map(it);
                it.MapGet("/work", Work).WithRequestTimeout(TimeSpan.FromMilliseconds(50));
            },
            static it =>
            {
                it.Services.AddAdaptivePool();
                it.Services.AddRequestTimeouts();
                it.Services.AddLoadReporting(static _ => { });
            },
            HeldPool.Settings);
        await _held.HoldAsync(app);
        using var answer = await AnswerOfWorkThatTimesOutAsync(app);
        (answer.StatusCode, _ran).ShouldBe((expected, 0));

        // What was never run is no work, or it would count as the fastest there is: only the request that held the worker was served.
        var meter = app.Application.Services.GetRequiredService<QueueMeter>();
        await GuestApps.EventuallyAsync(() => meter.InFlight == 0);

        meter.Read().Completed.ShouldBe(1);
    }

    /// <summary>It ended with an error: its status cannot be set any more.</summary>
    [Fact]
    public async Task ClientGoesWhileItsRequestWaitsAtAGate_ItsAnswerHasBegun_EndsWithoutAnError()
    {
        var end = new TaskCompletionSource<Exception?>(TaskCreationOptions.RunContinuationsAsynchronously);
        await using var app = await GateApp.StartAsync(
            static options => options.PermitLimit = 1,
            static it => it.MapGet("/late", static () => "late").RequireTransactionGate("bank"),
            before: it => it.Use(async (context, next) =>
            {
                if (context.Request.Path != "/late")
                {
                    await next(context);
                    return;
                }

                await context.Response.StartAsync();
                end.SetResult(await Record.ExceptionAsync(() => next(context)));
            }));
        var inside = app.SendAsync("/hold");
        await app.UntilAsync(static gate => gate.Held == 1);
        using var leaving = new CancellationTokenSource();
        var waiting = app.SendAsync("/late", leaving.Token);
        await app.UntilAsync(static gate => gate.Queued == 1);

        await leaving.CancelAsync();

        await Should.ThrowAsync<OperationCanceledException>(waiting);
        (await end.Task.WaitAsync(TestApp.Patience)).ShouldBeNull();
        app.Release();
        (await inside).StatusCode.ShouldBe(HttpStatusCode.OK);
    }

    [Fact]
    public async Task RequestTimesOutWhileItWaits_AListenerThrows_ItsClientIsAnsweredAllTheSame()
    {
        using var listener = Listen("timed out", static _ => throw new InvalidOperationException("listener"));
        await using var app = await TestApp.StartAsync(
            it =>
            {
                it.UseRequestTimeouts();
                it.Use(async (context, next) =>
                {
                    using var registration = context.RequestAborted.Register(() => _aborted.Release());
                    await next(context);
                });
                it.UseAdaptivePool();
                _held.Map(it);
                it.MapGet("/work", Work).WithRequestTimeout(TimeSpan.FromMilliseconds(50));
            },
            static it => it.Services.AddAdaptivePool().AddRequestTimeouts(),
            [.. HeldPool.Settings, new("AdaptivePool:Name", "timed out")]);
        await _held.HoldAsync(app);
        using var answer = await AnswerOfWorkThatTimesOutAsync(app);
        (answer.StatusCode, _ran).ShouldBe((HttpStatusCode.GatewayTimeout, 0));
    }

    /// <summary>Sends a request for "/work" while the worker is held, and opens it once its time is over.</summary>
    private async Task<HttpResponseMessage> AnswerOfWorkThatTimesOutAsync(TestApp app)
    {
        var waiting = app.Client.GetAsync(new Uri("/work", UriKind.Relative));
        (await _aborted.WaitAsync(TestApp.Patience)).ShouldBeTrue();

        // Who has hardly waited is not asked whether its client is still there.
        await HeldPool.QueuedAsync(app.Pool, "GET /work", 1);
        await Task.Delay(50);
        await _held.DisposeAsync();
        return await waiting;
    }

    /// <summary>A timeout as applications write it: it cancels the token of the request, and answers who is still there.</summary>
    private static async Task TimeOutAsync(HttpContext context, RequestDelegate next)
    {
        var client = context.RequestAborted;
        using var timeout = CancellationTokenSource.CreateLinkedTokenSource(client);
        if (context.Request.Path == "/work")
        {
            timeout.CancelAfter(50);
        }

        context.RequestAborted = timeout.Token;
        try
        {
            await next(context);
        }
        catch (OperationCanceledException) when (!client.IsCancellationRequested)
        {
            context.Response.StatusCode = StatusCodes.Status409Conflict;
        }
        finally
        {
            context.RequestAborted = client;
        }
    }

    private async Task<TestApp> StartAsync(string version, string name)
    {
        var app = await TestApp.StartAsync(
            it =>
            {
                it.Use(async (context, next) =>
                {
                    using var aborted = context.RequestAborted.Register(() => _aborted.Release());
                    using var closed = context.Features.Get<IConnectionLifetimeFeature>()!.ConnectionClosed.Register(() => _aborted.Release());
                    try
                    {
                        await next(context);
                        _statuses.Enqueue(context.Response.StatusCode);
                    }
                    catch (OperationCanceledException)
                    {
                        _statuses.Enqueue(Canceled);
                        throw;
                    }
                });
                it.UseStatusCodePagesWithReExecute("/page");
                it.UseAdaptivePool();
                _held.Map(it);
                it.Map("/page", () => Interlocked.Increment(ref _pages));
                it.MapGet("/slow", () =>
                {
                    _held.Enter();
                    return Work();
                });
                it.MapGet("/work", Work);
            },
            it =>
            {
                it.Services.AddAdaptivePool();
                it.SpeakHttp(version);
            },
            [.. HeldPool.Settings, new("AdaptivePool:Name", name)]);
        app.SpeakHttp(version);
        return app;
    }

    private string Work()
    {
        Interlocked.Increment(ref _ran);
        return "done";
    }

    private static MeterListener Listen(string pool, Action<string> seen)
    {
        var listener = new MeterListener
        {
            InstrumentPublished = static (instrument, it) =>
            {
                if (instrument.Name == MetricNames.DroppedRequests)
                {
                    it.EnableMeasurementEvents(instrument);
                }
            },
        };
        listener.SetMeasurementEventCallback<long>((_, count, tags, _) =>
        {
            var text = string.Join(' ', tags.ToArray().Select(static tag => $"{tag.Key}={tag.Value}"));
            if (text.StartsWith($"pool={pool}", StringComparison.Ordinal))
            {
                seen($"{count} {text}");
            }
        });
        listener.Start();
        return listener;
    }
}
