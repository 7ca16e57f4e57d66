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
        await using var app = await TestApp.StartAsync(
            static app =>
            {
                app.UseLoadReporting();
                app.UseAdaptivePool();
                app.MapGet("/hello", static () => "hello");
                app.MapGet("/report", static () =>
                {
                    Thread.Sleep(300);
                    return "done";
                }).RunOnAdaptivePool(pool: "reports");
            },
            static builder =>
            {
                builder.Services.AddAdaptivePool("reports", static it => it.MaxThreads = 1);
                builder.Services.AddLoadReporting(static _ => { });
            });
        var monitor = app.Application.Services.GetRequiredService<OverloadMonitor>();
        var reports = Task.WhenAll(Enumerable.Range(0, 4).Select(_ => RepeatAsync("/report", 4)));
        while (!reports.IsCompleted)
        {
            await RepeatAsync("/hello", 5);
            monitor.Point.ShouldBeNull();
        }

        await reports;

        async Task RepeatAsync(string path, int times)
        {
            for (var i = 0; i < times; i++)
            {
                await app.GetAsync(path);
            }
        }
    }
}
