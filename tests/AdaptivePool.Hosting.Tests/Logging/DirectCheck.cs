using AdaptivePool.Hosting.Tests.Apps;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Diagnostics.HealthChecks;
using Microsoft.Extensions.Options;

namespace AdaptivePool.Hosting.Tests.Logging;

/// <summary>The health check of an application, on the thread that asks.</summary>
internal static class DirectCheck
{
    /// <remarks>The framework's service runs each check on the runtime's pool, where it waits behind all that other tests block there.</remarks>
    public static HealthCheckResult Check(TestApp app)
    {
        var services = app.Application.Services;
        var registration = services.GetRequiredService<IOptions<HealthCheckServiceOptions>>().Value.Registrations.Single();
        var context = new HealthCheckContext { Registration = registration };
        return registration.Factory(services).CheckHealthAsync(context).GetAwaiter().GetResult();
    }
}
