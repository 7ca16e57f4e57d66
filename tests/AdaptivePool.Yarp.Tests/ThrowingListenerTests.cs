using System.Diagnostics.Metrics;
using System.Net;
using AdaptivePool.Balancing;
using AdaptivePool.Hosting.Tests.Apps;
using Microsoft.AspNetCore.Builder;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;

namespace AdaptivePool.Yarp.Tests;

/// <summary>A meter listener or a log that throws changes no answer, and no backend is to blame.</summary>
public sealed class ThrowingListenerTests
{
    private const string NearlyNothing = "run=1; seq=1; op=0.001";

    [Fact]
    public async Task CountsReportsAndRefusals_AListenerThrows_AnswersAreAsWithout()
    {
        await using ProxyFixture proxy = await ProxyFixture.StartAsync(CollaborativePolicies.Collaborative);
        using MeterListener listener = new();
        listener.InstrumentPublished = (instrument, it) =>
        {
            if (instrument.Meter.Name == ProxyMetrics.MeterName && ReferenceEquals(instrument.Meter.Scope, proxy.Meters))
            {
                it.EnableMeasurementEvents(instrument);
            }
        };
        listener.SetMeasurementEventCallback<long>(static (_, _, _, _) => throw new InvalidOperationException("listener"));
        listener.Start();
        proxy.Backends[0].Report = proxy.Backends[1].Report = NearlyNothing;

        using HttpRequestMessage forging = new(HttpMethod.Get, "/");
        forging.Headers.Add(LoadReport.HeaderName, NearlyNothing);
        using HttpResponseMessage forged = await proxy.Client.SendAsync(forging);
        List<HttpStatusCode> later = [];
        for (int i = 0; i < 4; i++)
        {
            using HttpResponseMessage response = await proxy.Client.GetAsync("/");
            later.Add(response.StatusCode);
        }

        forged.StatusCode.ShouldBe(HttpStatusCode.OK);
        later[^1].ShouldBe(HttpStatusCode.ServiceUnavailable, "both have told that they bear nearly nothing");
        later.ShouldAllBe(status => status == HttpStatusCode.OK || status == HttpStatusCode.ServiceUnavailable);
        proxy.Log.Lines.Count(static line => line.StartsWith("Error: A meter listener threw", StringComparison.Ordinal)).ShouldBe(1);
    }

    [Fact]
    public async Task Refusal_TheLogThrows_Is503()
    {
        await using ReportingBackend backend = await ReportingBackend.StartAsync();
        backend.Report = NearlyNothing;
        using WatchedLog log = WatchedLog.Throwing("Refused");
        await using WebApplication proxy = await Front.StartProxyAsync(
            CollaborativePolicies.Collaborative,
            [backend.Url],
            it =>
            {
                it.AddAdaptivePoolLoadBalancing(static options => options.MostWait = TimeSpan.Zero);
                it.Services.AddLogging(logging => logging.AddProvider(log).SetMinimumLevel(LogLevel.Debug));
            },
            static app => app.MapReverseProxy(static proxy => proxy.UseAdaptivePoolLoadBalancing()));
        using HttpClient client = Front.Client(proxy);
        HttpStatusCode last = HttpStatusCode.OK;
        for (int i = 0; i < 4; i++)
        {
            using HttpResponseMessage response = await client.GetAsync("/");
            last = response.StatusCode;
        }

        last.ShouldBe(HttpStatusCode.ServiceUnavailable);
        log.Count.ShouldBeGreaterThan(0);
    }
}
