using System.Net;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;

namespace AdaptivePool.Hosting.Tests.Apps;

/// <summary>A web application on a real Kestrel, bound to a free loopback port.</summary>
internal sealed class TestApp : IAsyncDisposable
{
    public static readonly TimeSpan Patience = TimeSpan.FromSeconds(30);

    // All guests are looked at from here on, and lend the runtime's pool no threads: what starves it in one test stays so beside guests of another.
    static TestApp() => AdaptiveThreadPool.CurrentBlockingAction = null;

    private TestApp(WebApplication application)
    {
        Application = application;
        Address = new Uri(application.Urls.First());
        Client = new HttpClient(new SocketsHttpHandler { UseProxy = false }) { BaseAddress = Address, Timeout = Patience };
    }

    public WebApplication Application { get; }

    public Uri Address { get; }

    public HttpClient Client { get; }

    public AdaptiveThreadPool Pool => Application.Services.GetRequiredService<AdaptiveThreadPool>();

    /// <summary>Builds the application without starting it. Its configuration holds nothing but <paramref name="settings"/>.</summary>
    public static WebApplication Build(
        Action<WebApplication> configure,
        Action<WebApplicationBuilder>? build = null,
        IEnumerable<KeyValuePair<string, string?>>? settings = null)
    {
        var builder = WebApplication.CreateBuilder(new WebApplicationOptions { EnvironmentName = Environments.Production });
        builder.Configuration.Sources.Clear();
        builder.Configuration.AddInMemoryCollection(settings ?? []);
        builder.Logging.ClearProviders();
        builder.WebHost.ConfigureKestrel(options => options.Listen(IPAddress.Loopback, 0));
        (build ?? (static it => it.Services.AddAdaptivePool()))(builder);
        var application = builder.Build();
        configure(application);
        return application;
    }

    public static async Task<TestApp> StartAsync(
        Action<WebApplication> configure,
        Action<WebApplicationBuilder>? build = null,
        IEnumerable<KeyValuePair<string, string?>>? settings = null)
    {
        var application = Build(configure, build, settings);
        try
        {
            await application.StartAsync();
            return new TestApp(application);
        }
        catch
        {
            await application.DisposeAsync();
            throw;
        }
    }

    /// <summary>
    /// Over a connection of its own: the server reads the next request of a connection where the one before has ended, on a worker, when its bytes are there
    /// by then.
    /// </summary>
    public async Task<string> GetAsync(string path)
    {
        using var request = new HttpRequestMessage(HttpMethod.Get, new Uri(path, UriKind.Relative))
        {
            Version = Client.DefaultRequestVersion,
            VersionPolicy = Client.DefaultVersionPolicy,
            Headers = { ConnectionClose = true },
        };
        using var response = await Client.SendAsync(request);
        return await response.EnsureSuccessStatusCode().Content.ReadAsStringAsync();
    }

    public async ValueTask DisposeAsync()
    {
        Client.Dispose();
        await Application.StopAsync();
        await Application.DisposeAsync();
    }
}
