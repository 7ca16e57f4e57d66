using Microsoft.AspNetCore.SignalR;
using Microsoft.Extensions.Options;

namespace AdaptivePool.Hosting.Hubs;

/// <summary>Puts the hubs of an application on the pool; whether SignalR is added before, after or not at all.</summary>
internal static class HubServices
{
    public static void Register(IServiceCollection services)
    {
        services.AddSingleton<HubPlaces>();
        services.AddSingleton(typeof(HubConnectionHandler<>), typeof(AdaptiveHubConnectionHandler<>));
        services.AddSingleton<IConfigureOptions<HubOptions>>(new ConfigureOptions<HubOptions>(static options => options.AddFilter(new HubMethodFilter())));
    }
}
