using AdaptivePool.Balancing.Overload;
using Microsoft.AspNetCore.Hosting.Server;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;

namespace AdaptivePool.Hosting.Load;

/// <summary>Warns that a program without a web server, such as a worker service, counts no requests. No startup filter runs there.</summary>
internal sealed partial class LoadServerCheck(IServiceProvider services, ILogger<OverloadMonitor> logger) : IHostedService
{
    public Task StartAsync(CancellationToken cancellationToken)
    {
        if (services.GetService<IServer>() is null)
        {
            LogNoServer(logger);
        }

        return Task.CompletedTask;
    }

    public Task StopAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    [LoggerMessage(
        4,
        LogLevel.Warning,
        "AddLoadReporting() was called, but this program has no web server: no request is counted, and no load is reported to balancers. Only work counts that "
            + "the program itself counts with the QueueMeter.",
        EventName = "NoServerForLoadReporting")]
    private static partial void LogNoServer(ILogger logger);
}
