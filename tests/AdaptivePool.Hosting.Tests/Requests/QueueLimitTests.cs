using System.Net;
using System.Net.Sockets;
using System.Text;
using AdaptivePool.Hosting.Tests.Apps;
using Microsoft.AspNetCore.Builder;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using Shouldly;
using Xunit;

namespace AdaptivePool.Hosting.Tests.Requests;

/// <summary>Requests that may not wait, or have waited too long, get 503 and a word about when to come again.</summary>
public sealed class QueueLimitTests
{
    private readonly HeldPool _held = new();
    private int _ran;

    [Theory]
    [InlineData("1.1")]
    [InlineData("2.0")]
    public async Task MaxQueued_AsManyWait_TheNextGets503AndRetryAfter(string version)
    {
        var log = new RecordedLog();
        await using var app = await StartAsync(it => it.MapGet("/work", Work).LimitQueue(2), version, log: log);
        await _held.HoldAsync(app);
        Task<HttpResponseMessage>[] waiting = [SendAsync(app, "/work"), SendAsync(app, "/work")];
        await HeldPool.QueuedAsync(app.Pool, "GET /work", 2);

        using (var refused = await SendAsync(app, "/work"))
        {
            ShouldBeRefused(refused);
            (await refused.Content.ReadAsStringAsync()).ShouldContain("503");
        }

        await _held.DisposeAsync();
        foreach (var request in waiting)
        {
            using var answer = await request;
            answer.StatusCode.ShouldBe(HttpStatusCode.OK);
        }

        _ran.ShouldBe(2);
        var state = app.Pool.GetSnapshot().Classes.Single(static it => it.Name == "GET /work");
        state.Refused.ShouldBe(1);
        state.Expired.ShouldBe(0);
        log.Lines.Count(static line => line.Text == "Work class 'GET /work' refused 'HTTP: GET /work => Work': QueueFull.").ShouldBe(1);
        using var next = await SendAsync(app, "/work");
        next.StatusCode.ShouldBe(HttpStatusCode.OK);
    }

    [Theory]
    [InlineData("1.1")]
    [InlineData("2.0")]
    public async Task MaxQueueTime_WaitedLonger_Gets503AndIsNotRun(string version)
    {
        await using var app = await StartAsync(it => it.MapGet("/work", Work).LimitQueue(maxQueueTime: TimeSpan.FromMilliseconds(1)), version);
        await _held.HoldAsync(app);
        var late = SendAsync(app, "/work");
        await HeldPool.QueuedAsync(app.Pool, "GET /work", 1);
        await Task.Delay(20);

        await _held.DisposeAsync();

        using var answer = await late;
        ShouldBeRefused(answer);
        _ran.ShouldBe(0);
        app.Pool.GetSnapshot().Classes.Single(static it => it.Name == "GET /work").Expired.ShouldBe(1);
    }

    [Fact]
    public async Task MaxQueued_OfTheSection_HoldsForEachClassButThatWhichSaysOtherwise()
    {
        await using var app = await StartAsync(
            it =>
            {
                it.MapGet("/work", Work);
                it.MapGet("/free", Work).LimitQueue();
            },
            settings: [new("AdaptivePool:MaxQueued", "1"), new("AdaptivePool:MaxQueueTime", "00:10:00")]);
        await _held.HoldAsync(app);
        var waiting = SendAsync(app, "/work");
        await HeldPool.QueuedAsync(app.Pool, "GET /work", 1);
        Task<HttpResponseMessage>[] free = [.. Enumerable.Range(0, 5).Select(_ => SendAsync(app, "/free"))];
        await HeldPool.QueuedAsync(app.Pool, "GET /free", 5);

        using (var refused = await SendAsync(app, "/work"))
        {
            ShouldBeRefused(refused);
        }

        await _held.DisposeAsync();
        foreach (var answer in await Task.WhenAll([waiting, .. free]))
        {
            answer.StatusCode.ShouldBe(HttpStatusCode.OK);
            answer.Dispose();
        }
    }

    [Theory]
    [InlineData("/places/bounded")]
    [InlineData("/shared")]
    public async Task LimitQueue_OnAnActionOrByAnotherEndpointOfTheClass_BoundsTheClass(string path)
    {
        await using var app = await StartAsync(
            it =>
            {
                it.MapControllers();
                it.MapGet("/shared", Work).RunOnAdaptivePool("bounded-by-attribute");
            });
        await _held.HoldAsync(app);
        var waiting = SendAsync(app, path);
        await HeldPool.QueuedAsync(app.Pool, "bounded-by-attribute", 1);

        using (var refused = await SendAsync(app, path))
        {
            ShouldBeRefused(refused);
        }

        await _held.DisposeAsync();
        using var answer = await waiting;
        answer.StatusCode.ShouldBe(HttpStatusCode.OK);
    }

    [Fact]
    public async Task MaxQueued_Pipelined_EachRequestIsAnsweredInItsOrder()
    {
        await using var app = await StartAsync(it =>
        {
            it.MapGet("/other", Work);
            it.MapGet("/work", Work).LimitQueue(1);
        });
        await _held.HoldAsync(app);
        var waiting = SendAsync(app, "/work");
        await HeldPool.QueuedAsync(app.Pool, "GET /work", 1);
        using var client = new TcpClient();
        await client.ConnectAsync(app.Address.Host, app.Address.Port);
        await using var stream = client.GetStream();

        await stream.WriteAsync(Encoding.ASCII.GetBytes(Request("/work") + Request("/work") + Request("/other", last: true)));
        await HeldPool.QueuedAsync(app.Pool, "GET /other", 1);
        await _held.DisposeAsync();
        using var reader = new StreamReader(stream, Encoding.ASCII);
        var answers = await reader.ReadToEndAsync().WaitAsync(TestApp.Patience);

        answers.Split("HTTP/1.1 ").Skip(1).Select(static answer => answer[..3]).ShouldBe(["503", "503", "200"]);
        (await waiting).Dispose();
    }

    [Fact]
    public async Task MaxQueued_Burst_EachRequestIsAnsweredAndNoMoreRunThanMayWait()
    {
        const int requests = 400;
        await using var app = await StartAsync(it => it.MapGet("/work", Work).LimitQueue(20));
        await _held.HoldAsync(app);
        Task<HttpResponseMessage>[] burst = [.. Enumerable.Range(0, requests).Select(_ => SendAsync(app, "/work"))];
        using var patience = new CancellationTokenSource(TestApp.Patience);
        while (burst.Count(static it => it.IsCompleted) < requests - 20)
        {
            await Task.Delay(1, patience.Token);
        }

        await _held.DisposeAsync();
        var answers = await Task.WhenAll(burst);

        var refused = answers.Count(static it => it.StatusCode == HttpStatusCode.ServiceUnavailable);
        answers.Count(static it => it.StatusCode == HttpStatusCode.OK).ShouldBe(requests - refused);
        _ran.ShouldBe(requests - refused);
        app.Pool.GetSnapshot().Classes.Single(static it => it.Name == "GET /work").Refused.ShouldBe(refused);
        Array.ForEach(answers, static it => it.Dispose());
    }

    /// <summary>The control: without a bound all of them wait, and run.</summary>
    [Fact]
    public async Task NoBound_Burst_AllRun()
    {
        const int requests = 200;
        await using var app = await StartAsync(it => it.MapGet("/work", Work));
        await _held.HoldAsync(app);
        Task<HttpResponseMessage>[] burst = [.. Enumerable.Range(0, requests).Select(_ => SendAsync(app, "/work"))];
        await HeldPool.QueuedAsync(app.Pool, "GET /work", requests);

        await _held.DisposeAsync();

        foreach (var answer in await Task.WhenAll(burst))
        {
            answer.StatusCode.ShouldBe(HttpStatusCode.OK);
            answer.Dispose();
        }

        _ran.ShouldBe(requests);
    }

    [Fact]
    public async Task MaxQueued_HostStopsMeanwhile_WhatWaitsIsAnswered()
    {
        await using var app = await StartAsync(it => it.MapGet("/work", Work).LimitQueue(3));
        await _held.HoldAsync(app);
        Task<HttpResponseMessage>[] waiting = [.. Enumerable.Range(0, 3).Select(_ => SendAsync(app, "/work"))];
        await HeldPool.QueuedAsync(app.Pool, "GET /work", 3);

        var stopping = app.Application.StopAsync();
        app.Application.Lifetime.ApplicationStopping.IsCancellationRequested.ShouldBeTrue();
        await _held.DisposeAsync();

        foreach (var answer in await Task.WhenAll(waiting))
        {
            answer.StatusCode.ShouldBe(HttpStatusCode.OK);
            answer.Dispose();
        }

        await stopping.WaitAsync(TestApp.Patience);
    }

    [Fact]
    public async Task LimitQueue_EndpointsOfOneClassDisagree_DoesNotStart()
    {
        await using var application = TestApp.Build(it =>
        {
            it.UseAdaptivePool();
            it.MapGet("/a", Work).RunOnAdaptivePool("shared").LimitQueue(10);
            it.MapGet("/b", Work).RunOnAdaptivePool("shared").LimitQueue(20);
        });

        (await Should.ThrowAsync<InvalidOperationException>(() => application.StartAsync())).Message.ShouldBe(
            "The endpoint 'HTTP: GET /a => Work' and the endpoint 'HTTP: GET /b => Work' share the work class 'shared', which has one queue, "
            + "and their LimitQueue values differ: set it on one of them only, set the same values, "
            + "or give them different classes with RunOnAdaptivePool(NAME).");
    }

    [Fact]
    public async Task LimitQueue_EndpointsOfOneClassAgreeOrAreElsewhere_Starts()
    {
        await using var app = await TestApp.StartAsync(
            it =>
            {
                it.UseAdaptivePool();
                it.MapGet("/a", Work).RunOnAdaptivePool("shared").LimitQueue(10, TimeSpan.FromSeconds(1));
                it.MapGet("/b", Work).RunOnAdaptivePool("shared").LimitQueue(10, TimeSpan.FromSeconds(1));
                it.MapGet("/c", Work).RunOnAdaptivePool("shared", pool: "other").LimitQueue(20);
                it.MapGet("/d", Work).RunOnAdaptivePool("shared").LimitQueue(30).DisableAdaptivePool();
            },
            static it => it.Services.AddAdaptivePool("other"));

        (await app.GetAsync("/a")).ShouldBe("done");
        (await app.GetAsync("/d")).ShouldBe("done");
        app.Pool.GetClass("shared").MaxQueued.ShouldBe(10);
        app.Pool.GetClass("shared").MaxQueueTime.ShouldBe(TimeSpan.FromSeconds(1));
    }

    [Fact]
    public async Task LimitQueue_WithoutUseAdaptivePool_DoesNotStart()
    {
        await using var application = TestApp.Build(it => it.MapGet("/a", Work).LimitQueue(10));

        (await Should.ThrowAsync<InvalidOperationException>(() => application.StartAsync())).Message
            .ShouldStartWith("The endpoint 'HTTP: GET /a => Work' is to run on the AdaptivePool");
    }

    [Fact]
    public void LimitQueue_OutOfRange_IsRefused()
    {
        var endpoint = TestApp.Build(static _ => { }).MapGet("/", Work);
        Should.Throw<ArgumentOutOfRangeException>(() => endpoint.LimitQueue(0)).Message.ShouldStartWith("MaxQueued is '0'; allowed: 1 to 2147483647.");
        Should.Throw<ArgumentOutOfRangeException>(() => endpoint.LimitQueue(1, TimeSpan.Zero)).Message.ShouldStartWith("MaxQueueTime is '00:00:00'; allowed: ");
        new LimitQueueAttribute { MaxQueueMilliseconds = 2_000 }.MaxQueueMilliseconds.ShouldBe(2_000);
        new LimitQueueAttribute(3).MaxQueueMilliseconds.ShouldBe(-1);
    }

    private string Work()
    {
        Interlocked.Increment(ref _ran);
        return "done";
    }

    private async Task<TestApp> StartAsync(
        Action<WebApplication> map, string version = "1.1", IEnumerable<KeyValuePair<string, string?>>? settings = null, RecordedLog? log = null)
    {
        var app = await TestApp.StartAsync(
            it =>
            {
                it.UseStatusCodePages();
                it.UseAdaptivePool();
                _held.Map(it);
                map(it);
            },
            it =>
            {
                it.Services.AddAdaptivePool();
                it.Services.AddControllers().AddApplicationPart(typeof(PlacesController).Assembly);
                it.SpeakHttp(version);
                if (log is not null)
                {
                    it.Logging.AddProvider(log).AddFilter("AdaptivePool", LogLevel.Trace);
                }
            },
            [.. HeldPool.Settings, .. settings ?? []]);
        app.SpeakHttp(version);
        return app;
    }

    private static Task<HttpResponseMessage> SendAsync(TestApp app, string path) => app.Client.GetAsync(new Uri(path, UriKind.Relative));

    private static void ShouldBeRefused(HttpResponseMessage answer)
    {
        answer.StatusCode.ShouldBe(HttpStatusCode.ServiceUnavailable);
        answer.Headers.RetryAfter.ShouldNotBeNull().Delta.ShouldNotBeNull().ShouldBeInRange(TimeSpan.FromSeconds(1), TimeSpan.FromSeconds(60));
    }

    private static string Request(string path, bool last = false) => $"GET {path} HTTP/1.1\r\nHost: h\r\n{(last ? "Connection: close\r\n" : "")}\r\n";
}
