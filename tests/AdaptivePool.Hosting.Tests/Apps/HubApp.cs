using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.SignalR;
using Microsoft.Extensions.DependencyInjection;

namespace AdaptivePool.Hosting.Tests.Apps;

/// <summary>An application with a hub at "/hub".</summary>
internal static class HubApp
{
    public static Task<TestApp> StartAsync(
        Action<HubEndpointConventionBuilder>? map = null,
        Action<WebApplicationBuilder>? build = null,
        IEnumerable<KeyValuePair<string, string?>>? settings = null) => StartAsync<PlacesHub>(map, build, settings);

    public static Task<TestApp> StartAsync<THub>(
        Action<HubEndpointConventionBuilder>? map = null,
        Action<WebApplicationBuilder>? build = null,
        IEnumerable<KeyValuePair<string, string?>>? settings = null)
        where THub : Hub => TestApp.StartAsync(
            it =>
            {
                it.UseAdaptivePool();
                it.MapGet("/hello", Whereabouts.Here);
                var hub = it.MapHub<THub>("/hub");
                map?.Invoke(hub);
            },
            it =>
            {
                it.Services.AddSingleton<HubVisits>();
                it.Services.AddSignalR();
                (build ?? (static it => it.Services.AddAdaptivePool()))(it);
            },
            settings);

    public static HubVisits Visits(this TestApp app) => app.Application.Services.GetRequiredService<HubVisits>();
}
