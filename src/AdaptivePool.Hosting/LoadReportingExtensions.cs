using AdaptivePool.Balancing.Overload;
using AdaptivePool.Hosting;
using AdaptivePool.Hosting.Load;
using Microsoft.Extensions.DependencyInjection.Extensions;
using Microsoft.Extensions.Options;

namespace Microsoft.Extensions.DependencyInjection;

/// <summary>Makes a backend tell balancers its load: the rate at which it is overloaded, and how busy it is.</summary>
public static class LoadReportingExtensions
{
    /// <summary>
    /// Adds what measures and tells. Requests are counted after <c>app.UseLoadReporting()</c>. A setting out of its range fails the start. The
    /// <see cref="OverloadMonitor"/> and its <see cref="QueueMeter"/> can be injected, to look at them or to count other work than requests.
    /// </summary>
    /// <param name="services">The application's services.</param>
    /// <param name="configure">Sets the options; several calls are applied in their order.</param>
    /// <returns><paramref name="services"/>, for further calls.</returns>
    /// <exception cref="ArgumentNullException">An argument is null.</exception>
    public static IServiceCollection AddLoadReporting(this IServiceCollection services, Action<LoadReportingOptions> configure)
    {
        ArgumentNullException.ThrowIfNull(services);
        ArgumentNullException.ThrowIfNull(configure);
        services.AddOptions<LoadReportingOptions>().Configure(configure).ValidateOnStart();
        services.TryAddEnumerable(ServiceDescriptor.Singleton<IValidateOptions<LoadReportingOptions>, LoadReportingValidator>());
        services.TryAddSingleton<LoadStartupFilter>();
        services.TryAddEnumerable(ServiceDescriptor.Singleton<IStartupFilter, LoadStartupFilter>(
            static provider => provider.GetRequiredService<LoadStartupFilter>()));
        services.TryAddSingleton<LoadReporter>();
        services.TryAddSingleton(static provider => provider.GetRequiredService<LoadReporter>().Monitor);
        services.TryAddSingleton(static provider => provider.GetRequiredService<LoadReporter>().Meter);
        return services;
    }

    /// <summary>
    /// Counts requests from here on, and tells balancers that are known the load with each answer. Call it before <c>app.UseAdaptivePool()</c>: the wait for a
    /// thread of the pool is what overload is seen by; after it, the application does not start. Without the pool requests never wait here, and only their
    /// number and time are told.
    /// </summary>
    /// <param name="app">The application.</param>
    /// <returns><paramref name="app"/>, for further calls.</returns>
    /// <exception cref="InvalidOperationException"><c>AddLoadReporting()</c> was not called.</exception>
    public static IApplicationBuilder UseLoadReporting(this IApplicationBuilder app)
    {
        ArgumentNullException.ThrowIfNull(app);
        LoadReporter reporter = Reporter(app.ApplicationServices);
        Action check = app.ApplicationServices.GetRequiredService<LoadStartupFilter>().Use(app);
        return app.Use(next =>
        {
            check();
            return new LoadMiddleware(next, reporter).InvokeAsync;
        });
    }

    /// <summary>Maps an endpoint that tells the load of the backend for all balancers together, as the header has it. It is for whoever may ask:
    /// protect it as others.</summary>
    /// <param name="endpoints">The application's endpoints.</param>
    /// <param name="pattern">The route.</param>
    /// <returns>What further conventions can be added to.</returns>
    /// <exception cref="InvalidOperationException"><c>AddLoadReporting()</c> was not called.</exception>
    public static IEndpointConventionBuilder MapLoadReport(this IEndpointRouteBuilder endpoints, string pattern)
    {
        ArgumentNullException.ThrowIfNull(endpoints);
        LoadReporter reporter = Reporter(endpoints.ServiceProvider);
        return endpoints.MapGet(pattern, context => context.Response.WriteAsync(reporter.Monitor.Report().ToString()));
    }

    private static LoadReporter Reporter(IServiceProvider services) => services.GetService<LoadReporter>()
        ?? throw new InvalidOperationException("Load is not reported. Call 'builder.Services.AddLoadReporting(...)' before the application is built.");
}
