using AdaptivePool.Balancing;
using AdaptivePool.Hosting.Tests.Apps;
using Microsoft.AspNetCore.Builder;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Options;
using Shouldly;
using Xunit;

namespace AdaptivePool.Hosting.Tests.Load;

public sealed class UnknownBalancerTests
{
    /// <summary>It got none, and nothing said so.</summary>
    [Fact]
    public async Task Balancer_ThatTheBackendDoesNotKnow_IsToldOnce()
    {
        RecordedLog log = new();
        await using var app = await TestApp.StartAsync(
            static app =>
            {
                app.UseLoadReporting();
                app.MapGet("/", static () => "ok");
            },
            builder =>
            {
                builder.Logging.AddProvider(log);
                builder.Services.AddLoadReporting(static it => it.Balancers.Add("front"));
            });
        foreach (var balancer in new[] { null, "front", "no name", new string('x', 1_000), "Front", "other" })
        {
            using HttpRequestMessage request = new(HttpMethod.Get, "/");
            if (balancer is not null)
            {
                request.Headers.Add(LoadReport.BalancerHeaderName, balancer);
            }

            using var response = await app.Client.SendAsync(request);
        }

        log.Lines.Where(static line => line.Event == "UnknownBalancer").ShouldHaveSingleItem().ShouldBe((
            LogLevel.Warning,
            "UnknownBalancer",
            "A request of the balancer 'Front' arrived, which gets no load reports: LoadReporting's Balancers contains front. Names are case-sensitive. "
                + "If it is to get them, call 'options.Balancers.Add(\"Front\")'. Further names are not reported."));
    }

    [Fact]
    public async Task Balancers_AlteredWhileTheAppRuns_AreThoseOfTheStart()
    {
        await using var app = await TestApp.StartAsync(
            static app =>
            {
                app.UseLoadReporting();
                app.MapGet("/", static () => "ok");
            },
            static builder => builder.Services.AddLoadReporting(static it => it.Balancers.Add("front")));
        app.Application.Services.GetRequiredService<IOptions<LoadReportingOptions>>().Value.Balancers.Clear();
        using HttpRequestMessage request = new(HttpMethod.Get, "/");
        request.Headers.Add(LoadReport.BalancerHeaderName, "front");
        using var response = await app.Client.SendAsync(request);
        response.Headers.Contains(LoadReport.HeaderName).ShouldBeTrue();
    }
}
