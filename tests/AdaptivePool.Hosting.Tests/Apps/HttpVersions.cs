using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Options;

namespace AdaptivePool.Hosting.Tests.Apps;

/// <summary>Makes an application and its client speak one version of HTTP, without encryption.</summary>
internal static class HttpVersions
{
    public static void SpeakHttp(this WebApplicationBuilder builder, string version)
    {
        if (version == "2.0")
        {
            // Before the address is added: defaults hold for what comes after them.
            builder.Services.Insert(0, ServiceDescriptor.Singleton<IConfigureOptions<KestrelServerOptions>>(new ConfigureOptions<KestrelServerOptions>(
                static options => options.ConfigureEndpointDefaults(static endpoint => endpoint.Protocols = HttpProtocols.Http2))));
        }
    }

    public static void SpeakHttp(this TestApp app, string version)
    {
        app.Client.DefaultRequestVersion = Version.Parse(version);
        app.Client.DefaultVersionPolicy = HttpVersionPolicy.RequestVersionExact;
    }
}
