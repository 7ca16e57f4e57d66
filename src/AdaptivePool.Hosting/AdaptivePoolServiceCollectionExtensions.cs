using AdaptivePool;
using AdaptivePool.Hosting;
using AdaptivePool.Hosting.Configuration;
using AdaptivePool.Hosting.Gates;
using AdaptivePool.Hosting.Hubs;
using AdaptivePool.Hosting.Logging;
using AdaptivePool.Hosting.Requests;
using Microsoft.AspNetCore.SignalR;
using Microsoft.Extensions.DependencyInjection.Extensions;
using Microsoft.Extensions.Options;

namespace Microsoft.Extensions.DependencyInjection;

/// <summary>Adds an <see cref="AdaptiveThreadPool"/> to an application's services.</summary>
public static class AdaptivePoolServiceCollectionExtensions
{
    /// <summary>
    /// Adds one pool, configured by the section "AdaptivePool". <see cref="AdaptiveThreadPool"/>, its <see cref="AdaptiveTaskScheduler"/> and, unless the
    /// application has one already, its <see cref="TaskFactory"/> can be injected. Requests run on it after <c>app.UseAdaptivePool()</c>, SignalR hubs by
    /// themselves. Calling this again changes nothing.
    /// </summary>
    /// <remarks>
    /// The section has a key for each option of <see cref="AdaptivePoolOptions"/> that a text can say, under the option's name, those of
    /// <see cref="AdaptivePoolHostingOptions"/>, a section HillClimbing with the options of the search, and a section Pools with one for each named pool.
    /// The table of options in the package's README has defaults and ranges, and its JSON schema (ConfigurationSchema.json) completes the keys in editors.
    /// An unknown key, a value of the wrong type or out of range fails the start with an <see cref="OptionsValidationException"/> that names the full key,
    /// the value and what is allowed.
    /// <para>The container disposes the pool after the last request has ended. It waits for other accepted work as long as the host's shutdown timeout
    /// (default 30 s), unless DrainTimeout is set. Where several hosts of a process have pools of one name, all but the first get a number after it, such as
    /// "default-2".</para>
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
        services.AddSingleton<RequestTargets>();
        services.AddSingleton<RequestStartupFilter>();
        services.AddSingleton<IStartupFilter>(static provider => provider.GetRequiredService<RequestStartupFilter>());
        GateStartupFilter.Register(services);

        // Whether SignalR is added before, after or not at all.
        services.AddSingleton<HubPlaces>();
        services.AddSingleton(typeof(HubConnectionHandler<>), typeof(AdaptiveHubConnectionHandler<>));
        services.AddSingleton<IConfigureOptions<HubOptions>>(new ConfigureOptions<HubOptions>(static options => options.AddFilter(new HubMethodFilter())));
        services.TryAddSingleton(static provider =>
            provider.GetRequiredService<PoolLog>().Follow(new AdaptiveThreadPool(provider.GetRequiredService<IOptions<AdaptivePoolOptions>>().Value)));
        services.TryAddSingleton(static provider => provider.GetRequiredService<AdaptiveThreadPool>().Scheduler);
        services.TryAddSingleton(static provider => provider.GetRequiredService<AdaptiveThreadPool>().Factory);
        return services;
    }

    /// <summary>
    /// As <see cref="AddAdaptivePool(IServiceCollection)"/>, with settings from code. They are applied after the section and win over it; several calls are
    /// applied in their order.
    /// </summary>
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

    /// <summary>
    /// Adds a further pool of this name, beside the one of <see cref="AddAdaptivePool(IServiceCollection)"/>, which is added too. It is configured by the
    /// section "AdaptivePool:Pools:NAME", with the keys of the main section except Enabled; <see cref="AdaptiveThreadPool"/>,
    /// <see cref="AdaptiveTaskScheduler"/> and <see cref="TaskFactory"/> can be injected with the name as key. Endpoints run on it that say so, such as
    /// <c>RunOnAdaptivePool(pool: "NAME")</c>. Calling this again applies further settings.
    /// </summary>
    /// <remarks>
    /// Pools are bulkheads: they share no thread, queue, limit or class, so a pool with every worker blocked delays no item of another. What they share is the
    /// process's CPU: their CPU hogs have one thread more than there are cores together, at least one each, and its memory limit.
    /// </remarks>
    /// <param name="services">The application's services.</param>
    /// <param name="name">Name of the pool, case-sensitive; not empty, without ':' and control characters.</param>
    /// <param name="configure">
    /// Changes the options after the section was read; null for none. <see cref="AdaptivePoolOptions.Name"/> is the pool's name unless it is set.
    /// </param>
    /// <returns><paramref name="services"/>, for further calls.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="services"/> is null.</exception>
    /// <exception cref="ArgumentException"><paramref name="name"/> is null, empty, white space, or contains ':' or a control character.</exception>
    public static IServiceCollection AddAdaptivePool(this IServiceCollection services, string name, Action<AdaptivePoolOptions>? configure = null)
    {
        OptionText.ThrowIfNoName(name, nameof(name));
        if (name.Contains(':', StringComparison.Ordinal))
        {
            throw new ArgumentException($"The pool name '{name}' contains ':', which separates the keys of the configuration.", nameof(name));
        }

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
