using AdaptivePool;
using AdaptivePool.Hosting;
using AdaptivePool.Hosting.Configuration;
using AdaptivePool.Hosting.Requests;
using Microsoft.AspNetCore.Hosting;
using Microsoft.Extensions.DependencyInjection.Extensions;
using Microsoft.Extensions.Options;

namespace Microsoft.Extensions.DependencyInjection;

/// <summary>Adds an <see cref="AdaptiveThreadPool"/> to an application's services.</summary>
public static class AdaptivePoolServiceCollectionExtensions
{
    /// <summary>
    /// Adds one pool, configured by the section "AdaptivePool". <see cref="AdaptiveThreadPool"/>, its <see cref="AdaptiveTaskScheduler"/> and, unless the application has one already, its
    /// <see cref="TaskFactory"/> can be injected. Requests run on it after <c>app.UseAdaptivePool()</c>. Calling this again changes nothing.
    /// </summary>
    /// <remarks>
    /// The section knows Enabled, Name, MinThreads, InitialThreads, MaxThreads, IdleTimeout, DrainTimeout, MaxClasses, StackSize, MemoryFile, DecisionLogFile, and the section HillClimbing with the options of the controller by
    /// name. An unknown key, a value of the wrong type or out of range fails the start with
    /// an <see cref="OptionsValidationException"/> that names the full key, the value and what is allowed. The container disposes the pool after the last request has ended; it waits for other accepted work as long as the
    /// host's shutdown timeout (default 30 s), unless DrainTimeout is set.
    /// </remarks>
    /// <param name="services">The application's services.</param>
    /// <returns><paramref name="services"/>, for further calls.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="services"/> is null.</exception>
    public static IServiceCollection AddAdaptivePool(this IServiceCollection services)
    {
        ArgumentNullException.ThrowIfNull(services);
        if (services.Any(static descriptor => descriptor.ServiceType == typeof(PoolSection)))
        {
            return services;
        }

        services.AddSingleton<PoolSection>();
        services.AddSingleton<IConfigureOptions<AdaptivePoolHostingOptions>>(static provider => provider.GetRequiredService<PoolSection>());
        services.AddSingleton<IValidateOptions<AdaptivePoolHostingOptions>>(static provider => provider.GetRequiredService<PoolSection>());
        services.AddSingleton<IConfigureOptions<AdaptivePoolOptions>>(static provider => provider.GetRequiredService<PoolSection>());
        services.AddSingleton<IValidateOptions<AdaptivePoolOptions>>(static provider => provider.GetRequiredService<PoolSection>());
        services.AddOptions<AdaptivePoolHostingOptions>().ValidateOnStart();
        services.AddOptions<AdaptivePoolOptions>().ValidateOnStart();

        services.AddSingleton<MissingMiddlewareFilter>();
        services.AddSingleton<IStartupFilter>(static provider => provider.GetRequiredService<MissingMiddlewareFilter>());
        services.TryAddSingleton(static provider => new AdaptiveThreadPool(provider.GetRequiredService<IOptions<AdaptivePoolOptions>>().Value));
        services.TryAddSingleton(static provider => provider.GetRequiredService<AdaptiveThreadPool>().Scheduler);
        services.TryAddSingleton(static provider => provider.GetRequiredService<AdaptiveThreadPool>().Factory);
        return services;
    }

    /// <summary>As <see cref="AddAdaptivePool(IServiceCollection)"/>, with settings from code. They are applied after the section and win over it; several calls are applied in their order.</summary>
    /// <param name="services">The application's services.</param>
    /// <param name="configure">Changes the options; sees what the section has set.</param>
    /// <returns><paramref name="services"/>, for further calls.</returns>
    /// <exception cref="ArgumentNullException">An argument is null.</exception>
    public static IServiceCollection AddAdaptivePool(this IServiceCollection services, Action<AdaptivePoolOptions> configure)
    {
        ArgumentNullException.ThrowIfNull(configure);
        services.AddAdaptivePool();
        return services.Configure(configure);
    }
}
