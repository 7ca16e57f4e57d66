using AdaptivePool.Hosting.Tests.Apps;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Shouldly;
using Xunit;

namespace AdaptivePool.Hosting.Tests.Load;

public sealed class LoadWorkerTests
{
    [Fact]
    public async Task Start_WithoutAWebServer_TellsOnceThatNoRequestIsCounted()
    {
        var log = new RecordedLog();
        HostApplicationBuilder builder = Host.CreateApplicationBuilder();
        builder.Logging.ClearProviders();
        builder.Logging.AddProvider(log);
        builder.Services.AddLoadReporting(static _ => { });
        builder.Services.AddLoadReporting(static _ => { });
        using var host = builder.Build();
        await host.StartAsync();
        await host.StopAsync();
        log.Lines.Count(static line => line is { Event: "NoServerForLoadReporting", Level: LogLevel.Warning }).ShouldBe(1);
    }
}
