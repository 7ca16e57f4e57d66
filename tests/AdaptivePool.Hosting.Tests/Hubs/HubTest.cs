using AdaptivePool.Hosting.Tests.Apps;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.SignalR;
using Xunit;

namespace AdaptivePool.Hosting.Tests.Hubs;

/// <summary>Base of tests with an application that has a hub, and one client of it; both end with the test.</summary>
public abstract class HubTest : IAsyncLifetime
{
    private TestApp? _app;
    private HubClient? _client;

    private protected TestApp App => _app!;

    private protected HubClient Client => _client!;

    public Task InitializeAsync() => Task.CompletedTask;

    public async Task DisposeAsync()
    {
        if (_client is not null)
        {
            await _client.DisposeAsync();
        }

        if (_app is not null)
        {
            await _app.DisposeAsync();
        }
    }

    private protected Task StartAsync(
        Action<HubEndpointConventionBuilder>? map = null,
        Action<WebApplicationBuilder>? build = null,
        IEnumerable<KeyValuePair<string, string?>>? settings = null,
        string transport = HubClient.WebSockets) => StartAsync<PlacesHub>(map, build, settings, transport);

    private protected async Task StartAsync<THub>(
        Action<HubEndpointConventionBuilder>? map = null,
        Action<WebApplicationBuilder>? build = null,
        IEnumerable<KeyValuePair<string, string?>>? settings = null,
        string transport = HubClient.WebSockets)
        where THub : Hub
    {
        _app = await HubApp.StartAsync<THub>(map, build, settings);
        _client = await HubClient.ConnectAsync(_app, transport);
    }
}
