using System.Net;
using AdaptivePool.Balancing.Overload;
using AdaptivePool.Hosting.Tests.Apps;
using Microsoft.AspNetCore.Builder;
using Microsoft.Extensions.DependencyInjection;
using Shouldly;
using Xunit;

namespace AdaptivePool.Hosting.Tests.Load;

/// <summary>Requests that middleware before the place where they are counted runs once more, for the page of their status.</summary>
public sealed class LoadReexecutionTests
{
    [Fact]
    public async Task PageOfARefusedRequest_IsRefusedAsWell_LeavesNothingInTheMeter()
    {
        // It counted as waiting for ever: the backend told its balancers that it is overloaded, and could bear less and less.
        await using var held = new HeldPool();
        await using var app = await TestApp.StartAsync(
            it =>
            {
                it.UseStatusCodePagesWithReExecute("/page");
                it.UseLoadReporting();
                it.UseAdaptivePool();
                held.Map(it);
                it.Map("/page", static () => "page").LimitQueue(1);
                it.MapGet("/work", static () => "done").LimitQueue(1);
            },
            static it =>
            {
                it.Services.AddAdaptivePool();
                it.Services.AddLoadReporting(static _ => { });
            },
            HeldPool.Settings);
        await held.HoldAsync(app);
        Task<string>[] waiting = [app.GetAsync("/work"), app.GetAsync("/page")];
        await HeldPool.QueuedAsync(app.Pool, "GET /work", 1);
        await HeldPool.QueuedAsync(app.Pool, "/page", 1);

        using (var refused = await app.Client.GetAsync(new Uri("/work", UriKind.Relative)))
        {
            refused.StatusCode.ShouldBe(HttpStatusCode.ServiceUnavailable);
        }

        held.Open();
        (await Task.WhenAll(waiting)).ShouldBe(["done", "page"]);
        var meter = app.Application.Services.GetRequiredService<QueueMeter>();
        SpinWait.SpinUntil(() => meter.InFlight == 0, TestApp.Patience).ShouldBeTrue();
        meter.Read().Queued.ShouldBe(0);
    }
}
