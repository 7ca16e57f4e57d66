using System.Net;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using Yarp.ReverseProxy.Configuration;

namespace AdaptivePool.Yarp.Tests;

/// <summary>Web applications on loopback ports: backends, and a YARP before them.</summary>
internal static class Front
{
    /// <summary>Starts an application on a free port of the loopback interface.</summary>
    public static async Task<WebApplication> StartAsync(Action<WebApplication> configure, Action<WebApplicationBuilder>? build = null)
    {
        WebApplicationBuilder builder = WebApplication.CreateSlimBuilder();
        builder.Logging.ClearProviders();
        builder.WebHost.ConfigureKestrel(options => options.Listen(IPAddress.Loopback, 0));
        build?.Invoke(builder);
        WebApplication app = builder.Build();
        configure(app);
        await app.StartAsync();
        return app;
    }

    /// <summary>Starts a proxy with one cluster that has everything, and another one of the policy <paramref name="reassigned"/>, to which no route leads.</summary>
    public static Task<WebApplication> StartProxyAsync(
        string? policy, IReadOnlyList<string> backends, Action<IReverseProxyBuilder>? build = null, Action<WebApplication>? configure = null,
        string? reassigned = null, SessionAffinityConfig? affinity = null)
    {
        RouteConfig route = new() { RouteId = "all", ClusterId = "backends", Match = new RouteMatch { Path = "{**rest}" } };
        ClusterConfig cluster = new()
        {
            ClusterId = "backends",
            LoadBalancingPolicy = policy,
            SessionAffinity = affinity,
            Destinations = backends.Select((url, i) => (Name: $"b{i}", Url: url))
                .ToDictionary(b => b.Name, b => new DestinationConfig { Address = b.Url }, StringComparer.Ordinal),
        };
        return StartAsync(
            configure ?? (app => app.MapReverseProxy()),
            builder =>
            {
                builder.Services.AddRoutingCore();
                IReverseProxyBuilder proxy = builder.Services.AddReverseProxy().LoadFromMemory(
                    [route], reassigned is null ? [cluster] : [cluster, cluster with { ClusterId = "other", LoadBalancingPolicy = reassigned }]);
                build?.Invoke(proxy);
            });
    }

    /// <summary>A client of one application that asks no proxy of the system and keeps no session.</summary>
    public static HttpClient Client(WebApplication app) =>
        new(new SocketsHttpHandler { UseProxy = false, UseCookies = false }) { BaseAddress = new Uri(app.Urls.First()), Timeout = TimeSpan.FromSeconds(30) };
}
