using AdaptivePool.Balancing.Overload;
using AdaptivePool.Hosting;
using AdaptivePool.Hosting.Load;
using Microsoft.Extensions.DependencyInjection.Extensions;
using Microsoft.Extensions.Hosting;

namespace Microsoft.Extensions.DependencyInjection;

/// <summary>Makes a backend report its load to balancers: the rate at which it is overloaded, and how busy it is.</summary>
public static class LoadReportingExtensions
{
    /// <summary>
    /// Adds the services that measure and report the load. Requests are counted after <c>app.UseLoadReporting()</c>. A setting out of its range makes the start
    /// fail. The <see cref="OverloadMonitor"/> and its <see cref="QueueMeter"/> can be injected, to read them or to count other work than requests.
    /// </summary>
    /// <param name="services">The application's services.</param>
    /// <param name="configure">A function that sets the options. Several calls are applied in their order.</param>
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
        services.TryAddEnumerable(ServiceDescriptor.Singleton<IHostedService, LoadServerCheck>());
        services.TryAddSingleton<LoadReporter>();
        services.TryAddSingleton(static provider => provider.GetRequiredService<LoadReporter>().Monitor);
        services.TryAddSingleton(static provider => provider.GetRequiredService<LoadReporter>().Meter);
        return services;
    }

    /// <summary>
    /// Counts requests from this point of the pipeline on, and sends the load to known balancers with each response. Call it before
    /// <c>app.UseAdaptivePool()</c>; otherwise the application does not start. The reason is that overload is detected by the wait for a thread of the pool.
    /// Without the pool, requests never wait here, and the report contains only their number and time.
    /// </summary>
    /// <param name="app">The application.</param>
    /// <returns><paramref name="app"/>, for further calls.</returns>
    /// <exception cref="InvalidOperationException">
    /// <c>AddLoadReporting()</c> was not called, or the agent cannot listen on <see cref="LoadReportingOptions.AgentPort"/>.
    /// </exception>
    /// <exception cref="OptionsValidationException">A setting is out of its range.</exception>
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

    /// <summary>
    /// Maps an endpoint that returns the load of the backend for all balancers together, in the format of the header. Any client may read it, so protect it
    /// like your other endpoints.
    /// </summary>
    /// <param name="endpoints">The application's endpoints.</param>
    /// <param name="pattern">The route.</param>
    /// <returns>A builder for further conventions of the endpoint.</returns>
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
