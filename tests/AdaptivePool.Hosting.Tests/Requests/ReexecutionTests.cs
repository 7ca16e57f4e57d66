using System.Collections.Concurrent;
using System.Net;
using AdaptivePool.Hosting.Tests.Apps;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Shouldly;
using Xunit;

namespace AdaptivePool.Hosting.Tests.Requests;

/// <summary>Requests that middleware before the pool runs once more, for the page of their error.</summary>
public sealed class ReexecutionTests
{
    private readonly HeldPool _held = new();
    private readonly SemaphoreSlim _left = new(0);
    private readonly ConcurrentQueue<string> _ran = [];

    [Theory]
    [InlineData("/throw", HttpStatusCode.InternalServerError)]
    [InlineData("/missing", HttpStatusCode.NotFound)]
    public async Task QueueOfThePageIsFull_ThePageOfWhatHasRunIsNotRefused(string path, HttpStatusCode status)
    {
        await using var app = await StartAsync();
        var running = SendAsync(app, path);
        (await _held.EnteredAsync()).ShouldBeTrue();
        var waiting = SendAsync(app, "/error");
        await HeldPool.QueuedAsync(app.Pool, "/error", 1);

        _held.Open();

        using var answer = await running;
        answer.StatusCode.ShouldBe(status);
        (await answer.Content.ReadAsStringAsync()).ShouldBe("page");
        answer.Headers.RetryAfter.ShouldBeNull();
        (await waiting).StatusCode.ShouldBe(HttpStatusCode.OK);
    }

    [Theory]
    [InlineData("/throw")]
    [InlineData("/gated")]
    public async Task OthersWait_ThePageOfWhatHasRunGoesBeforeThem(string path)
    {
        await using var app = await StartAsync("/shared");
        var running = SendAsync(app, path);
        (await _held.EnteredAsync()).ShouldBeTrue();

        // Until the server's thread awaits it, the page would be new work of that thread.
        (await _left.WaitAsync(TestApp.Patience)).ShouldBeTrue();
        Task<HttpResponseMessage>[] waiting = [.. Enumerable.Range(0, 4).Select(_ => SendAsync(app, "/free"))];
        await HeldPool.QueuedAsync(app.Pool, "shared", waiting.Length);

        _held.Open();
        await Task.WhenAll([running, .. waiting]);

        // New work has one turn in sixteen, which may be the next one.
        _ran.ToList().IndexOf("page").ShouldBeLessThan(2, string.Join(", ", _ran));
    }

    [Fact]
    public async Task RequestIsRefusedItself_ItsPageIsNewWork()
    {
        await using var app = await StartAsync();
        var running = SendAsync(app, "/throw");
        (await _held.EnteredAsync()).ShouldBeTrue();
        Task<HttpResponseMessage>[] waiting = [SendAsync(app, "/bounded"), SendAsync(app, "/error")];
        await HeldPool.QueuedAsync(app.Pool, "GET /bounded", 1);
        await HeldPool.QueuedAsync(app.Pool, "/error", 1);

        using (var refused = await SendAsync(app, "/bounded"))
        {
            refused.StatusCode.ShouldBe(HttpStatusCode.ServiceUnavailable);
            refused.Headers.RetryAfter.ShouldNotBeNull();
            (await refused.Content.ReadAsStringAsync()).ShouldBeEmpty();
        }

        _held.Open();
        await Task.WhenAll([running, .. waiting]);
    }

    [Fact]
    public async Task GateRefusesAndTheQueueOfThePageIsFull_TheStatusIsTheGates()
    {
        await using var app = await StartAsync();
        var running = SendAsync(app, "/gated");
        (await _held.EnteredAsync()).ShouldBeTrue();
        var waiting = SendAsync(app, "/error");
        await HeldPool.QueuedAsync(app.Pool, "/error", 1);

        using (var refused = await SendAsync(app, "/gated"))
        {
            refused.StatusCode.ShouldBe(HttpStatusCode.TooManyRequests);
            refused.Headers.RetryAfter.ShouldNotBeNull();
        }

        _held.Open();
        await Task.WhenAll(running, waiting);
    }

    /// <summary>The request has taken too long, and its client is still there.</summary>
    [Theory]
    [InlineData("/throw", HttpStatusCode.InternalServerError)]
    [InlineData("/nowhere", HttpStatusCode.NotFound)]
    public async Task RequestIsAbortedBeforeItsPageRuns_ThePageIsNotDropped(string path, HttpStatusCode status)
    {
        TestApp? started = null;
        await using var app = started = await TestApp.StartAsync(
            it =>
            {
                it.UseExceptionHandler("/error");
                it.UseStatusCodePagesWithReExecute("/error");
                it.Use(async (context, next) =>
                {
                    if (context.Request.Path == "/error")
                    {
                        context.RequestAborted = new CancellationToken(canceled: true);
                        await _held.HoldAsync(started!);
                    }

                    await next(context);
                });
                it.UseAdaptivePool();
                _held.Map(it);
                it.Map("/error", () => Run("page"));
                it.MapGet("/throw", static void () => throw new InvalidOperationException("handler"));
            },
            static it => it.Services.AddAdaptivePool(),
            HeldPool.Settings);
        var asked = SendAsync(app, path);
        await HeldPool.QueuedAsync(app.Pool, "(in flight)", 1);

        // What has hardly waited is not dropped in any case.
        await Task.Delay(50);
        await _held.DisposeAsync();

        using var answer = await asked;
        answer.StatusCode.ShouldBe(status);
        (await answer.Content.ReadAsStringAsync()).ShouldBe("page");
    }

    private static Task<HttpResponseMessage> SendAsync(TestApp app, string path) => app.Client.GetAsync(new Uri(path, UriKind.Relative));

    private Task<TestApp> StartAsync(string page = "/error") => TestApp.StartAsync(
        it =>
        {
            it.Use(async (context, next) =>
            {
                var rest = next(context);
                _left.Release();
                await rest;
            });
            it.UseExceptionHandler(page);
            it.UseStatusCodePagesWithReExecute(page);
            it.UseAdaptivePool();
            it.Map("/error", () => Run("page")).LimitQueue(1);
            it.Map("/shared", () => Run("page")).RunOnAdaptivePool("shared");
            it.MapGet("/free", () => Run("free")).RunOnAdaptivePool("shared");
            it.MapGet("/bounded", () => Run("bounded")).LimitQueue(1);
            it.MapGet("/throw", Throw);
            it.MapGet("/gated", Throw).RequireTransactionGate("bank");
            it.MapGet("/missing", () =>
            {
                _held.Enter();
                return Results.NotFound();
            });
        },
        static it =>
        {
            it.Configuration.AddInMemoryCollection(HeldPool.Settings);
            it.Services.AddAdaptivePool().AddTransactionGate("bank", static options => (options.PermitLimit, options.QueueLimit) = (1, 0));
        });

    private string Run(string name)
    {
        _ran.Enqueue(name);
        return name;
    }

    private void Throw()
    {
        _held.Enter();
        throw new InvalidOperationException("handler");
    }
}
