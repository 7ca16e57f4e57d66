using System.Diagnostics.Metrics;
using AdaptivePool.Admission;
using AdaptivePool.Diagnostics;
using AdaptivePool.Hosting.Tests.Apps;
using Microsoft.AspNetCore.Builder;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Options;
using Shouldly;
using Xunit;

namespace AdaptivePool.Hosting.Tests.Requests;

public sealed class HostNameTests
{
    [Fact]
    public async Task SeveralHosts_OneName_EachPoolHasItsOwnInThreadsAndOptions()
    {
        await using var first = await StartAsync();
        var second = await StartAsync();
        await using var third = await StartAsync();

        Names(first).ShouldBe(["twin", "twin-2"]);
        Names(second).ShouldBe(["twin-3", "twin-4"]);
        Names(third).ShouldBe(["twin-5", "twin-6"]);
        (await first.GetAsync("/")).ShouldStartWith(first.Pool.Name + " ");
        (await second.GetAsync("/")).ShouldStartWith(second.Pool.Name + " ");
        second.Application.Services.GetRequiredService<IOptions<AdaptivePoolOptions>>().Value.Name.ShouldBe(second.Pool.Name);

        await second.DisposeAsync();
        await using var fourth = await StartAsync();

        Names(fourth).ShouldBe(["twin-3", "twin-4"]);
    }

    [Fact]
    public async Task SeveralHosts_OneNameOfAGate_EachGateHasItsOwnInItsMetrics()
    {
        await using var first = await StartGatedAsync();
        var second = await StartGatedAsync();
        await using var third = await StartGatedAsync();
        string[] names = ["twin gate", "twin gate-2", "twin gate-3"];
        Limits("twin gate").Order(StringComparer.Ordinal).ShouldBe(names);

        // Endpoints and code ask for the name that the gate was added by.
        (await second.GetAsync("/")).ShouldBe("twin gate-2");
        second.Application.Services.GetRequiredService<IOptionsMonitor<TransactionGateOptions>>().Get("twin gate").Name.ShouldBe("twin gate-2");

        await second.DisposeAsync();
        Limits("twin gate").Order(StringComparer.Ordinal).ShouldBe(["twin gate", "twin gate-3"]);
        await using var fourth = await StartGatedAsync();
        (await fourth.GetAsync("/")).ShouldBe("twin gate-2");
    }

    [Fact]
    public async Task OneHost_OptionsMadeSeveralTimes_KeepTheName()
    {
        await using var app = await TestApp.StartAsync(static it => it.UseAdaptivePool(), settings: [new("AdaptivePool:Name", "only one")]);
        await using var scope = app.Application.Services.CreateAsyncScope();

        scope.ServiceProvider.GetRequiredService<IOptionsSnapshot<AdaptivePoolOptions>>().Value.Name.ShouldBe("only one");
        app.Application.Services.GetRequiredService<IOptionsMonitor<AdaptivePoolOptions>>().CurrentValue.Name.ShouldBe("only one");
        app.Pool.Name.ShouldBe("only one");
    }

    private static Task<TestApp> StartGatedAsync() => TestApp.StartAsync(
        static it =>
        {
            it.UseAdaptivePool();
            it.MapGet("/", static ([FromKeyedServices("twin gate")] TransactionGate gate) => gate.Name).RequireTransactionGate("twin gate");

            // Now, so that which host comes first is known.
            it.Services.GetRequiredKeyedService<TransactionGate>("twin gate");
        },
        static it => it.Services.AddAdaptivePool().AddTransactionGate("twin gate", static options => options.Adaptive = true));

    /// <summary>The names by which a collector finds gates.</summary>
    private static List<string> Limits(string prefix)
    {
        List<string> names = [];
        using var listener = new MeterListener
        {
            InstrumentPublished = static (instrument, it) =>
            {
                if (instrument.Name == MetricNames.GateLimit)
                {
                    it.EnableMeasurementEvents(instrument);
                }
            },
        };
        listener.SetMeasurementEventCallback<long>((_, _, tags, _) =>
        {
            if (tags[0].Value is string name && name.StartsWith(prefix, StringComparison.Ordinal))
            {
                names.Add(name);
            }
        });
        listener.Start();
        listener.RecordObservableInstruments();
        return names;
    }

    private static Task<TestApp> StartAsync() => TestApp.StartAsync(
        static it =>
        {
            it.UseAdaptivePool();
            it.MapGet("/", static () => Thread.CurrentThread.Name);
        },
        static it => it.Services.AddAdaptivePool("second"),
        [new("AdaptivePool:Name", "twin"), new("AdaptivePool:Pools:second:Name", "twin")]);

    // Which of the two options of a host is made first is not promised.
    private static string[] Names(TestApp app) =>
        [.. new[] { app.Pool.Name, app.Application.Services.GetRequiredKeyedService<AdaptiveThreadPool>("second").Name }.Order(StringComparer.Ordinal)];
}
