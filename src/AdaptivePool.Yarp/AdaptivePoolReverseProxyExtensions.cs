using AdaptivePool.Yarp;
using Microsoft.AspNetCore.Builder;
using Microsoft.Extensions.DependencyInjection.Extensions;
using Microsoft.Extensions.Options;
using Yarp.ReverseProxy.LoadBalancing;

namespace Microsoft.Extensions.DependencyInjection;

/// <summary>Adds collaborative load balancing to YARP.</summary>
public static class AdaptivePoolReverseProxyExtensions
{
    /// <summary>
    /// Adds the policies "Collaborative" and "CollaborativeRoundRobin" for <c>ClusterConfig.LoadBalancingPolicy</c>, and a transform that reads the load
    /// reports of backends from the header "AdaptivePool-Load" and hides this header from clients. A setting out of its range makes the start fail.
    /// </summary>
    /// <param name="builder">The builder that <c>AddReverseProxy()</c> returned.</param>
    /// <param name="configure">A function that sets the options; <see langword="null"/> for the defaults.</param>
    /// <returns><paramref name="builder"/>, for further calls.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="builder"/> is null.</exception>
    public static IReverseProxyBuilder AddAdaptivePoolLoadBalancing(this IReverseProxyBuilder builder, Action<CollaborativeProxyOptions>? configure = null)
    {
        ArgumentNullException.ThrowIfNull(builder);
        IServiceCollection services = builder.Services;
        if (configure is not null)
        {
            services.Configure(configure);
        }

        if (services.Any(static it => it.ServiceType == typeof(ClusterBalancers)))
        {
            return builder;
        }

        services.AddOptions<CollaborativeProxyOptions>().ValidateOnStart();
        services.AddSingleton<IValidateOptions<CollaborativeProxyOptions>, CollaborativeProxyValidator>();
        services.AddSingleton<ProxyLog>();
        services.AddSingleton<ProxyMetrics>();
        services.AddSingleton<ClusterBalancers>();
        services.AddSingleton<LoadTransforms>();
        builder.AddTransforms(static context => context.Services.GetRequiredService<LoadTransforms>().Apply(context));
        foreach (string name in new[] { CollaborativePolicies.Collaborative, CollaborativePolicies.CollaborativeRoundRobin })
        {
            services.AddSingleton<ILoadBalancingPolicy>(provider => new CollaborativePolicy(name, provider.GetRequiredService<ClusterBalancers>()));
        }

        return builder;
    }

    /// <summary>
    /// Makes requests wait while all backends of their cluster are at their limit, instead of returning the status 503 at once. Call it in
    /// <c>app.MapReverseProxy(proxy =&gt; ...)</c>, before <c>proxy.UseLoadBalancing()</c>. After it, no request waits, and the log has one warning. Clusters
    /// with other policies are not affected.
    /// </summary>
    /// <param name="proxy">The pipeline of the proxy.</param>
    /// <returns><paramref name="proxy"/>, for further calls.</returns>
    /// <exception cref="InvalidOperationException"><c>AddAdaptivePoolLoadBalancing()</c> was not called.</exception>
    public static IReverseProxyApplicationBuilder UseAdaptivePoolLoadBalancing(this IReverseProxyApplicationBuilder proxy)
    {
        ArgumentNullException.ThrowIfNull(proxy);
        ClusterBalancers balancers = proxy.ApplicationServices.GetService<ClusterBalancers>()
            ?? throw new InvalidOperationException("Call 'builder.Services.AddReverseProxy().AddAdaptivePoolLoadBalancing()' before the application is built.");
        proxy.Use(next => new CollaborativeMiddleware(next, balancers).InvokeAsync);
        return proxy;
    }
}
