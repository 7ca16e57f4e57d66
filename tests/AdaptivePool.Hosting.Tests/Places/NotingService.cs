using Microsoft.Extensions.Hosting;

namespace AdaptivePool.Hosting.Tests.Places;

internal sealed class NotingService(PlaceNotes notes) : BackgroundService
{
    protected override Task ExecuteAsync(CancellationToken stoppingToken) => notes.TakeAsync();
}
