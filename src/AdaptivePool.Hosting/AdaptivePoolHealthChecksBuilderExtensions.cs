using AdaptivePool;
using AdaptivePool.Hosting.Health;
using Microsoft.Extensions.Diagnostics.HealthChecks;

namespace Microsoft.Extensions.DependencyInjection;

/// <summary>Adds the pool to an application's health checks.</summary>
public static class AdaptivePoolHealthChecksBuilderExtensions
{
    private static readonly TimeSpan s_defaultWait = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan s_longestWait = TimeSpan.FromHours(24);

    /// <summary>
    /// Adds a health check for the application's pools: the one without a name and all pools that were added by name. The check is unhealthy while a pool or
    /// its background work is deadlocked. It is degraded while work waits 1 s or longer in the runtime's pool, or while most workers of a pool are blocked and
    /// its oldest item has waited long. Otherwise it is healthy. Its data contain the numbers of threads, of blocked and idle threads and of waiting items, and
    /// the code that blocks. For a pool that was added by name, the keys begin with the name and a dot. Map the endpoint of the health checks with
    /// <c>DisableAdaptivePool()</c>, so that it responds while the pool is saturated. Without a pool the application does not start.
    /// </summary>
    /// <param name="builder">The health checks.</param>
    /// <param name="name">The name of the check; default "adaptivepool".</param>
    /// <param name="degradedWait">
    /// How long the oldest item may wait while most workers are blocked; 0 to 24 h, default 1 s. A higher value tolerates more.
    /// </param>
    /// <param name="failureStatus">The status for a deadlock; default unhealthy.</param>
    /// <param name="tags">The tags of the check.</param>
    /// <returns><paramref name="builder"/>, for further calls.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="builder"/> is null.</exception>
    /// <exception cref="ArgumentException"><paramref name="name"/> is null or empty.</exception>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="degradedWait"/> is out of its range.</exception>
    public static IHealthChecksBuilder AddAdaptivePool(
        this IHealthChecksBuilder builder,
        string name = "adaptivepool",
        TimeSpan? degradedWait = null,
        HealthStatus? failureStatus = null,
        IEnumerable<string>? tags = null)
    {
        ArgumentNullException.ThrowIfNull(builder);
        ArgumentException.ThrowIfNullOrEmpty(name);
        var wait = degradedWait ?? s_defaultWait;
        if (wait < TimeSpan.Zero || wait > s_longestWait)
        {
            throw new ArgumentOutOfRangeException(
                nameof(degradedWait), degradedWait, $"degradedWait is '{wait}'; allowed: {TimeSpan.Zero} to {s_longestWait}.");
        }

        // Checked when the application starts: otherwise the first probe would get the status 500. The check does not create the pool, because a pool costs
        // threads. If the container cannot tell whether a service exists, the first probe finds out.
        builder.Services.AddOptions<HealthCheckServiceOptions>()
            .Validate<IServiceProvider>(
                static (_, provider) => provider.GetService<IServiceProviderIsService>()?.IsService(typeof(AdaptiveThreadPool)) != false,
                "AddHealthChecks().AddAdaptivePool() checks a pool that does not exist. "
                + "Call 'builder.Services.AddAdaptivePool()' before the application is built.")
            .ValidateOnStart();
        return builder.Add(new HealthCheckRegistration(name, provider => new PoolHealthCheck(PoolsOf(provider), wait), failureStatus, tags));
    }

    private static (string? Name, AdaptiveThreadPool Pool)[] PoolsOf(IServiceProvider provider) =>
    [
        (null, provider.GetRequiredService<AdaptiveThreadPool>()),
        .. provider.GetServices<NamedPool>().Select(named => ((string?)named.Name, provider.GetRequiredKeyedService<AdaptiveThreadPool>(named.Name))),
    ];
}
