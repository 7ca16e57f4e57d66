using System.Net;
using AdaptivePool.Admission;
using AdaptivePool.Balancing;
using AdaptivePool.Hosting.Tests.Apps;
using AdaptivePool.Hosting.Tests.Gates;
using Microsoft.AspNetCore.Builder;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using Shouldly;
using Xunit;

namespace AdaptivePool.Hosting.Tests.Logging;

/// <summary>A log that throws changes no answer.</summary>
public sealed class ThrowingLogTests
{
    [Fact]
    public async Task ClassRefuses_Is503()
    {
        await using var held = new HeldPool();
        using var log = new ThrowingLog("Refused");
        await using var app = await TestApp.StartAsync(
            it =>
            {
                it.UseAdaptivePool();
                held.Map(it);
                it.MapGet("/work", Whereabouts.Here).LimitQueue(1);
            },
            it =>
            {
                it.Configuration.AddInMemoryCollection(HeldPool.Settings);
                it.Services.AddAdaptivePool();
                log.AddTo(it);
            });
        await held.HoldAsync(app);
        var waiting = app.GetAsync("/work");
        await HeldPool.QueuedAsync(app.Pool, "GET /work", 1);

        using var refused = await app.Client.GetAsync(new Uri("/work", UriKind.Relative));

        refused.StatusCode.ShouldBe(HttpStatusCode.ServiceUnavailable);
        log.Threw.ShouldBe(1);
        await held.DisposeAsync();
        (await waiting).ShouldBe(Whereabouts.Pool);
    }

    [Fact]
    public async Task GateRefuses_Is503()
    {
        using var log = new ThrowingLog("GateRefused");
        await using var app = await GateApp.StartAsync(static o => (o.PermitLimit, o.QueueTimeout) = (1, TimeSpan.FromMilliseconds(20)), build: log.AddTo);
        var inside = app.SendAsync("/hold");
        await app.UntilAsync(static gate => gate.Held == 1);

        using var refused = await app.SendAsync("/hold");

        refused.StatusCode.ShouldBe(HttpStatusCode.ServiceUnavailable);
        log.Threw.ShouldBe(1);
        app.Release();
        (await inside).StatusCode.ShouldBe(HttpStatusCode.OK);
    }

    // The pool is told of by the first request that it gets.
    [Fact]
    public async Task FirstRequestOfANamedPool_IsAnswered()
    {
        using var log = new ThrowingLog("Enabled");
        await using var app = await TestApp.StartAsync(
            static it =>
            {
                it.UseAdaptivePool();
                it.MapGet("/report", static () => "done").RunOnAdaptivePool(pool: "reports");
            },
            it =>
            {
                it.Services.AddAdaptivePool("reports");
                log.AddTo(it);
            });

        (await app.GetAsync("/report")).ShouldBe("done");

        log.Threw.ShouldBe(2, "the pool without a name is told of at the start");
    }

    [Fact]
    public async Task RequestOfAnUnknownBalancer_IsAnswered()
    {
        using var log = new ThrowingLog("UnknownBalancer");
        await using var app = await TestApp.StartAsync(
            static it =>
            {
                it.UseLoadReporting();
                it.MapGet("/work", static () => "done");
            },
            it =>
            {
                it.Services.AddLoadReporting(static options => options.Balancers.Add("front"));
                log.AddTo(it);
            });
        using HttpRequestMessage request = new(HttpMethod.Get, "/work");
        request.Headers.Add(LoadReport.BalancerHeaderName, "other");

        using var answer = await app.Client.SendAsync(request);

        answer.StatusCode.ShouldBe(HttpStatusCode.OK);
        log.Threw.ShouldBe(1);
    }

    private sealed class ThrowingLog(string name) : ILoggerProvider, ILogger
    {
        private int _threw;

        public int Threw => Volatile.Read(ref _threw);

        public void AddTo(WebApplicationBuilder builder) => builder.Logging.AddProvider(this).AddFilter("AdaptivePool", LogLevel.Trace);

        public ILogger CreateLogger(string categoryName) => this;

        public IDisposable? BeginScope<TState>(TState state)
            where TState : notnull => null;

        public bool IsEnabled(LogLevel logLevel) => true;

        public void Log<TState>(
            LogLevel logLevel, EventId eventId, TState state, Exception? exception, Func<TState, Exception?, string> formatter)
        {
            if (eventId.Name == name)
            {
                Interlocked.Increment(ref _threw);
                throw new InvalidOperationException("log");
            }
        }

        public void Dispose()
        {
        }
    }
}
