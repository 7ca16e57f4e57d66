using AdaptivePool.Hosting.Tests.Apps;
using Microsoft.AspNetCore.Builder;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using Shouldly;
using Xunit;

namespace AdaptivePool.Hosting.Tests.Load;

public sealed class LoadFaultTests
{
    [Fact]
    public async Task Monitor_LookThatFails_IsLogged()
    {
        var log = new RecordedLog();
        await using var app = await TestApp.StartAsync(
            static app => app.UseLoadReporting(),
            builder =>
            {
                builder.Logging.AddProvider(log);
                builder.Services.AddSingleton<TimeProvider>(new FailingClock());
                builder.Services.AddLoadReporting(static _ => { });
            });
        SpinWait.SpinUntil(() => log.Lines.Any(static line => line is { Event: "LoadFault", Level: LogLevel.Error }), TestApp.Patience).ShouldBeTrue();
    }

    /// <summary>Fails for the thread that looks.</summary>
    private sealed class FailingClock : TimeProvider
    {
        public override long GetTimestamp() =>
            Thread.CurrentThread.Name == "overload monitor" ? throw new InvalidOperationException("of the clock") : base.GetTimestamp();
    }
}
