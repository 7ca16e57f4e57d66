using System.Net;
using Yarp.ReverseProxy.Configuration;

namespace AdaptivePool.Sample.Cluster;

/// <summary>The proxy.</summary>
internal static class YarpFront
{
    public const string Verb = "front";

    public static async Task RunAsync(string policy, string[] backends)
    {
        WebApplicationBuilder builder = WebApplication.CreateSlimBuilder();
        builder.Logging.ClearProviders();
        builder.Services.AddRoutingCore();
        builder.WebHost.ConfigureKestrel(options => options.Listen(IPAddress.Loopback, 0));
        RouteConfig route = new() { RouteId = "bank", ClusterId = "bank", Match = new RouteMatch { Path = "{**rest}" } };
        ClusterConfig cluster = new()
        {
            ClusterId = "bank",
            LoadBalancingPolicy = policy,
            Destinations = backends.Select((url, i) => (i, url))
                .ToDictionary(b => $"backend{b.i}", b => new DestinationConfig { Address = b.url }, StringComparer.Ordinal),
        };
        builder.Services.AddReverseProxy().LoadFromMemory([route], [cluster]).AddAdaptivePoolLoadBalancing(o => o.BalancerName = Backend.BalancerName);
        WebApplication app = builder.Build();
        app.MapReverseProxy(proxy =>
        {
            proxy.UseAdaptivePoolLoadBalancing();
            proxy.UseLoadBalancing();
        });
        await app.StartAsync();
        await Child.ServeAsync(app, app.Urls.First());
    }
}
