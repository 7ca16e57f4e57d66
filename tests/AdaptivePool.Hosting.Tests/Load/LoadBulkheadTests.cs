using AdaptivePool.Balancing.Overload;
using AdaptivePool.Hosting.Tests.Apps;
using Microsoft.AspNetCore.Builder;
using Microsoft.Extensions.DependencyInjection;
using Shouldly;
using Xunit;

namespace AdaptivePool.Hosting.Tests.Load;

/// <summary>Requests that wait for something of their own, beside others that do not wait.</summary>
public sealed class LoadBulkheadTests
{
    [Fact]
    public async Task Requests_ThatWaitForAPoolOfTheirOwn_AreNoOverloadOfTheOthers()
    {
        // The point fell to nothing within seconds, and balancers refused those that did not wait.
        const int Reports = 4;
        var clock = new PassingClock();
        using var done = new ManualResetEventSlim();
        await using var app = await TestApp.StartAsync(
            app =>
            {
                app.UseLoadReporting();
                app.UseAdaptivePool();
                app.MapGet("/hello", static () => "hello");
                app.MapGet("/report", () =>
                {
                    done.Wait(TestApp.Patience);
                    return "done";
                }).RunOnAdaptivePool(pool: "reports");
            },
            builder =>
            {
                builder.Services.AddSingleton<TimeProvider>(clock);
                builder.Services.AddAdaptivePool("reports", static it => it.MaxThreads = 1);
                builder.Services.AddLoadReporting(static _ => { });
            });
        var monitor = app.Application.Services.GetRequiredService<OverloadMonitor>();
        var meter = app.Application.Services.GetRequiredService<QueueMeter>();
        var reports = Enumerable.Range(0, Reports).Select(_ => app.GetAsync("/report")).ToArray();
        try
        {
            SpinWait.SpinUntil(() => meter.Read() is { Arrived: Reports, Queued: Reports - 1 }, TestApp.Patience).ShouldBeTrue();
            for (var look = 0; look < 50; look++)
            {
                // Time passes between requests only: on a busy machine none of them may get a processor for half a second of the system's time.
                await app.GetAsync("/hello");
                clock.Passed += TimeSpan.FromMilliseconds(100);
                monitor.Look();
                monitor.Point.ShouldBeNull();
            }

            meter.Read().AverageWait.ShouldBe(clock.Passed);
        }
        finally
        {
            done.Set();
            await Task.WhenAll(reports);
        }
    }
}
