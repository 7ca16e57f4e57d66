using Microsoft.Extensions.Diagnostics.HealthChecks;
using Microsoft.Extensions.Options;

namespace AdaptivePool.Hosting.Health;

/// <summary>Refuses a check of a pool that does not exist when the application starts. The first probe would be answered 500.</summary>
internal sealed class PoolHealthValidator(IServiceProvider services) : IValidateOptions<HealthCheckServiceOptions>
{
    // Asked for and not made: a pool costs threads. A container that cannot tell leaves it to the first probe.
    public ValidateOptionsResult Validate(string? name, HealthCheckServiceOptions options) =>
        services.GetService<IServiceProviderIsService>()?.IsService(typeof(AdaptiveThreadPool)) == false
            ? ValidateOptionsResult.Fail(
                "AddHealthChecks().AddAdaptivePool() checks a pool that does not exist. "
                + "Call 'builder.Services.AddAdaptivePool()' before the application is built.")
            : ValidateOptionsResult.Success;
}
