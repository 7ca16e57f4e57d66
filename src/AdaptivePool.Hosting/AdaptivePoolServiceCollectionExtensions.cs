using AdaptivePool;
using AdaptivePool.Hosting;
using AdaptivePool.Hosting.Gates;
using AdaptivePool.Hosting.Hubs;
using AdaptivePool.Hosting.Logging;
using Microsoft.Extensions.DependencyInjection.Extensions;

namespace Microsoft.Extensions.DependencyInjection;

/// <summary>Adds an <see cref="AdaptiveThreadPool"/> to an application's services.</summary>
public static class AdaptivePoolServiceCollectionExtensions
{
    /// <summary>
    /// Adds one pool that is configured by the section "AdaptivePool". <see cref="AdaptiveThreadPool"/>, its <see cref="AdaptiveTaskScheduler"/> and, unless
    /// the application has one already, its <see cref="TaskFactory"/> can be injected. Requests run on the pool after <c>app.UseAdaptivePool()</c>; SignalR
    /// hubs run on it automatically. Another call changes nothing.
    /// </summary>
    /// <remarks>
    /// The section has a key for each option of <see cref="AdaptivePoolOptions"/> that can be written as text, with the name of the option. It also has the
    /// keys of <see cref="AdaptivePoolHostingOptions"/>, a section HillClimbing with the options of the search, and a section Pools with one section for each
    /// named pool. The README of the package lists the options with defaults and ranges. The JSON schema of the package (ConfigurationSchema.json) completes
    /// the keys in editors. An unknown key, a value of the wrong type or a value out of range makes the start fail with an
    /// <see cref="OptionsValidationException"/> that names the full key, the value and what is allowed.
    /// <para>
    /// The container disposes the pool after the last request has ended. It waits for other accepted work until the host's shutdown timeout (default 30 s) has
    /// passed since the host began to stop, unless DrainTimeout is set. If several hosts of a process have pools of the same name, all but the first get a
    /// number after the name, such as "default-2".
    /// </para>
    /// </remarks>
    /// <param name="services">The application's services.</param>
    /// <returns><paramref name="services"/>, for further calls.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="services"/> is null.</exception>
    public static IServiceCollection AddAdaptivePool(this IServiceCollection services)
    {
        ArgumentNullException.ThrowIfNull(services);
        if (services.Any(static descriptor => descriptor.ServiceType == typeof(RequestTargets)))
        {
            return services;
        }

        services.ConfigureOptions<PoolSection>();
        services.AddSingleton<IPostConfigureOptions<AdaptivePoolOptions>>(static _ =>
            new UniqueNames<AdaptivePoolOptions>(static (_, options) => options.Name, static (options, unique) => options.Name = unique));
        services.AddOptions<AdaptivePoolHostingOptions>().ValidateOnStart();
        services.AddOptions<AdaptivePoolOptions>().ValidateOnStart();

        services.AddSingleton<PoolLog>();
        services.AddSingleton<RequestMetrics>();
        services.AddSingleton<QueueLimits>();
        services.AddSingleton<RequestTargets>();
        services.AddSingleton<RequestStartupFilter>();
        services.AddSingleton<IStartupFilter>(static provider => provider.GetRequiredService<RequestStartupFilter>());
        services.AddSingleton<MatcherPolicy, PooledEndpointSelector>();
        GateStartupFilter.Register(services);

        // Works whether SignalR is added before, after or not at all.
        services.AddSingleton<HubPlaces>();
        services.AddSingleton(typeof(HubConnectionHandler<>), typeof(AdaptiveHubConnectionHandler<>));
        services.AddSingleton<IConfigureOptions<HubOptions>>(new ConfigureOptions<HubOptions>(static options => options.AddFilter(new HubMethodFilter())));

        // The monitor has the options that the start has checked, even if a pool is first created after the settings have changed. It takes new options, which
        // are checked as well, only in an app that makes it watch the configuration.
        services.TryAddSingleton(static provider => provider.GetRequiredService<PoolLog>().Follow(
            new AdaptiveThreadPool(provider.GetRequiredService<IOptionsMonitor<AdaptivePoolOptions>>().CurrentValue)));
        services.TryAddSingleton(static provider => provider.GetRequiredService<AdaptiveThreadPool>().Scheduler);
        services.TryAddSingleton(static provider => provider.GetRequiredService<AdaptiveThreadPool>().Factory);
        return services;
    }

    /// <summary>
    /// Does the same as <see cref="AddAdaptivePool(IServiceCollection)"/>, with settings from code. They are applied after the section and take precedence over
    /// it. Several calls are applied in their order.
    /// </summary>
    /// <param name="services">The application's services.</param>
    /// <param name="configure">A function that changes the options. It gets the options with the values of the section.</param>
    /// <returns><paramref name="services"/>, for further calls.</returns>
    /// <exception cref="ArgumentNullException">An argument is null.</exception>
    public static IServiceCollection AddAdaptivePool(this IServiceCollection services, Action<AdaptivePoolOptions> configure)
    {
        ArgumentNullException.ThrowIfNull(configure);
        services.AddAdaptivePool();
        return services.Configure(configure);
    }

    /// <summary>
    /// Adds another pool with this name, and also the pool of <see cref="AddAdaptivePool(IServiceCollection)"/>. The new pool is configured by the section
    /// "AdaptivePool:Pools:NAME", with the keys of the main section except Enabled, Hubs and Pools. <see cref="AdaptiveThreadPool"/>,
    /// <see cref="AdaptiveTaskScheduler"/> and <see cref="TaskFactory"/> can be injected with the name as key. An endpoint runs on it if its metadata say so,
    /// such as <c>RunOnAdaptivePool(pool: "NAME")</c>. Another call applies further settings.
    /// </summary>
    /// <remarks>
    /// Pools are bulkheads: they share no thread, queue, limit or class. So a pool whose workers are all blocked delays no item of another pool. They share the
    /// CPU of the process and its memory limit. The CPU hogs of all pools together get one thread more than there are cores, and each pool at least one.
    /// </remarks>
    /// <param name="services">The application's services.</param>
    /// <param name="name">The name of the pool, case-sensitive; not empty, without ':' and control characters.</param>
    /// <param name="configure">
    /// A function that changes the options after the section was read; null for none. <see cref="AdaptivePoolOptions.Name"/> is the pool's name unless it is
    /// set.
    /// </param>
    /// <returns><paramref name="services"/>, for further calls.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="services"/> is null.</exception>
    /// <exception cref="ArgumentException"><paramref name="name"/> is null, empty or white space, or contains ':' or a control character.</exception>
    public static IServiceCollection AddAdaptivePool(this IServiceCollection services, string name, Action<AdaptivePoolOptions>? configure = null)
    {
        OptionText.ThrowIfNoKey(name, nameof(name));
        services.AddAdaptivePool();
        if (!services.Any(descriptor => descriptor.ImplementationInstance is NamedPool pool && pool.Name == name))
        {
            services.AddSingleton(new NamedPool(name));
            services.AddOptions<AdaptivePoolOptions>(name).ValidateOnStart();
            services.AddKeyedSingleton(name, (provider, _) => provider.GetRequiredService<PoolLog>().Follow(
                new AdaptiveThreadPool(provider.GetRequiredService<IOptionsMonitor<AdaptivePoolOptions>>().Get(name))));
            services.AddKeyedSingleton(name, (provider, _) => provider.GetRequiredKeyedService<AdaptiveThreadPool>(name).Scheduler);
            services.AddKeyedSingleton(name, (provider, _) => provider.GetRequiredKeyedService<AdaptiveThreadPool>(name).Factory);
        }

        return configure is null ? services : services.Configure(name, configure);
    }
}
