using AdaptivePool.Yarp;
using Microsoft.AspNetCore.Builder;
using Microsoft.Extensions.DependencyInjection.Extensions;
using Microsoft.Extensions.Options;
using Yarp.ReverseProxy.LoadBalancing;
using Yarp.ReverseProxy.Transforms.Builder;

namespace Microsoft.Extensions.DependencyInjection;

/// <summary>Adds collaborative load balancing to YARP.</summary>
public static class AdaptivePoolReverseProxyExtensions
{
    /// <summary>
    /// Adds the policies "Collaborative" and "CollaborativeRoundRobin" for <c>ClusterConfig.LoadBalancingPolicy</c>, and what takes the load
    /// reports of backends
    /// from the header "AdaptivePool-Load", which clients never see. A setting out of its range fails the start.
    /// </summary>
    /// <param name="builder">What <c>AddReverseProxy()</c> returned.</param>
    /// <param name="configure">Sets the options; <see langword="null"/> for the defaults.</param>
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
        services.AddSingleton<ProxyMetrics>();
        services.AddSingleton<ClusterBalancers>();
        services.AddSingleton<ITransformProvider, LoadTransforms>();
        foreach (string name in new[] { CollaborativePolicies.Collaborative, CollaborativePolicies.CollaborativeRoundRobin })
        {
            services.AddSingleton<ILoadBalancingPolicy>(provider => new CollaborativePolicy(name, provider.GetRequiredService<ClusterBalancers>()));
        }

        return builder;
    }

    /// <summary>
    /// Lets requests wait while all backends of their cluster are at their limit, instead of answering them with 503 at once. Call it in
    /// <c>app.MapReverseProxy(proxy =&gt; ...)</c>, before <c>proxy.UseLoadBalancing()</c>. Clusters with other policies are not touched.
    /// </summary>
    /// <param name="proxy">The proxy's pipeline.</param>
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
