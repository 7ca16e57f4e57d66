using System.Diagnostics.Metrics;
using AdaptivePool.Admission;
using AdaptivePool.Diagnostics;
using AdaptivePool.Hosting.Tests.Apps;
using Microsoft.AspNetCore.Builder;
using Microsoft.Extensions.DependencyInjection;
using Shouldly;
using Xunit;

namespace AdaptivePool.Hosting.Tests.Requests;

public sealed class MeterFactoryTests
{
    [Fact]
    public async Task TwoApps_AListenerToTheMetersOfOne_SeesItsPoolsAndGatesAlone()
    {
        await using var first = await StartAsync("seen");
        await using var second = await StartAsync("other");
        var seen = Read(first.Application.Services.GetRequiredService<IMeterFactory>());

        seen.ShouldContain((MetricNames.Threads, "seen pool"));
        seen.ShouldContain((MetricNames.Threads, "seen second"));
        seen.ShouldContain((MetricNames.GateLimit, "seen gate"));
        seen.ShouldAllBe(static it => it.Owner.StartsWith("seen", StringComparison.Ordinal));
        Read(second.Application.Services.GetRequiredService<IMeterFactory>()).ShouldContain((MetricNames.Threads, "other pool"));
    }

    [Fact]
    public async Task FactorySetInCode_WinsOverTheApplications()
    {
        await using var services = new ServiceCollection().AddMetrics().BuildServiceProvider();
        var own = services.GetRequiredService<IMeterFactory>();
        await using var app = await TestApp.StartAsync(
            static it => it.UseAdaptivePool(), it => it.Services.AddAdaptivePool(options => (options.Name, options.MeterFactory) = ("by code", own)));
        _ = app.Pool;

        Read(own).ShouldContain((MetricNames.Threads, "by code"));
        Read(app.Application.Services.GetRequiredService<IMeterFactory>()).ShouldNotContain((MetricNames.Threads, "by code"));
    }

    private static Task<TestApp> StartAsync(string name) => TestApp.StartAsync(
        static it =>
        {
            it.UseAdaptivePool();
            _ = it.Services.GetRequiredKeyedService<AdaptiveThreadPool>("second");
            _ = it.Services.GetRequiredKeyedService<TransactionGate>("gate");
        },
        it => it.Services.AddAdaptivePool("second", options => options.Name = name + " second")
            .AddTransactionGate("gate", options => (options.Name, options.Adaptive) = (name + " gate", true)),
        [new("AdaptivePool:Name", name + " pool")]);

    /// <summary>The gauges that a factory's meters have, and whose they are.</summary>
    private static List<(string Gauge, string Owner)> Read(IMeterFactory factory)
    {
        List<(string, string)> seen = [];
        using var listener = new MeterListener
        {
            InstrumentPublished = (instrument, it) =>
            {
                if (instrument.Meter.Name == MetricNames.Meter && ReferenceEquals(instrument.Meter.Scope, factory))
                {
                    it.EnableMeasurementEvents(instrument);
                }
            },
        };
        listener.SetMeasurementEventCallback<long>((instrument, _, tags, _) => seen.Add((instrument.Name, (string)tags[0].Value!)));
        listener.Start();
        listener.RecordObservableInstruments();
        return seen;
    }
}
