using System.Collections.Concurrent;
using System.Diagnostics.Metrics;
using System.Net;
using AdaptivePool.Diagnostics;
using AdaptivePool.Hosting.Tests.Apps;
using Microsoft.AspNetCore.Builder;
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

    [Theory]
    [InlineData("1.1")]
    [InlineData("2.0")]
    public async Task ClientGoesWhileItsRequestWaits_IsDroppedAndCountedAndOthersRun(string version)
    {
        ConcurrentQueue<string> seen = [];
        using var listener = Listen(seen);
        await using var app = await StartAsync(version, "dropped " + version);
        await _held.HoldAsync(app);
        using var leaving = new CancellationTokenSource();
        Task<HttpResponseMessage>[] gone = [.. Enumerable.Range(0, 3).Select(_ => app.Client.GetAsync(new Uri("/work", UriKind.Relative), leaving.Token))];
        var staying = app.GetAsync("/work");
        await HeldPool.QueuedAsync(app.Pool, "GET /work", 4);

        // Who has hardly waited is not asked whether it is still there.
        await Task.Delay(50);

        await leaving.CancelAsync();
        for (var i = 0; i < gone.Length; i++)
        {
            await Should.ThrowAsync<OperationCanceledException>(gone[i]);
            (await _aborted.WaitAsync(TestApp.Patience)).ShouldBeTrue();
        }

        await _held.DisposeAsync();
        (await staying).ShouldBe("done");
        (await app.GetAsync("/work")).ShouldBe("done");

        _ran.ShouldBe(2);
        app.Pool.GetSnapshot().Classes.Single(static it => it.Name == "GET /work").Queued.ShouldBe(0);
        seen.ShouldBe(Enumerable.Repeat($"1 pool=dropped {version} class=GET /work", 3));

        // The pipeline before the pool sees them end.
        _statuses.Count(static it => it == StatusCodes.Status499ClientClosedRequest).ShouldBe(3);
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
        using var patience = new CancellationTokenSource(TestApp.Patience);
        while (Volatile.Read(ref _ran) < 2)
        {
            await Task.Delay(1, patience.Token);
        }
    }

    [Fact]
    public async Task RequestTimesOutWhileItWaits_ItsClientIsAnsweredAsTheTimeoutSays()
    {
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
            static it =>
            {
                it.Services.AddAdaptivePool();
                it.Services.AddRequestTimeouts();
            },
            HeldPool.Settings);
        await _held.HoldAsync(app);
        var waiting = app.Client.GetAsync(new Uri("/work", UriKind.Relative));
        (await _aborted.WaitAsync(TestApp.Patience)).ShouldBeTrue();
        await _held.DisposeAsync();

        using var answer = await waiting;
        (answer.StatusCode, _ran).ShouldBe((HttpStatusCode.GatewayTimeout, 0));
    }

    private async Task<TestApp> StartAsync(string version, string name)
    {
        var app = await TestApp.StartAsync(
            it =>
            {
                it.Use(async (context, next) =>
                {
                    using var registration = context.RequestAborted.Register(() => _aborted.Release());
                    await next(context);
                    _statuses.Enqueue(context.Response.StatusCode);
                });
                it.UseAdaptivePool();
                _held.Map(it);
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

    private static MeterListener Listen(ConcurrentQueue<string> seen)
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
            if (text.StartsWith("pool=dropped", StringComparison.Ordinal))
            {
                seen.Enqueue($"{count} {text}");
            }
        });
        listener.Start();
        return listener;
    }
}
