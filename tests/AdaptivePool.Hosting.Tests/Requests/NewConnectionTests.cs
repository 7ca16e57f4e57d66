using System.Collections.Concurrent;
using System.Net;
using AdaptivePool.Hosting.Tests.Apps;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Connections.Features;
using Microsoft.AspNetCore.TestHost;
using Microsoft.Extensions.DependencyInjection;
using Shouldly;
using Xunit;

namespace AdaptivePool.Hosting.Tests.Requests;

/// <summary>Who has just connected may go before those that are connected already.</summary>
public sealed class NewConnectionTests : IAsyncDisposable
{
    private readonly HeldPool _held = new();
    private readonly ConcurrentQueue<string> _ran = new();
    private readonly List<HttpClient> _clients = [];

    public async ValueTask DisposeAsync()
    {
        await _held.DisposeAsync();
        _clients.ForEach(static it => it.Dispose());
    }

    [Theory]
    [InlineData("1.1", "NewConnectionPriority", "High", "new, old 1, old 2")]
    [InlineData("2.0", "NewConnectionPriority", "High", "new, old 1, old 2")]
    [InlineData("1.1", "Preset", "DatabaseCompatible", "new, old 1, old 2")]
    [InlineData("1.1", "NewConnectionPriority", "Normal", "old 1, old 2, new")]
    [InlineData("1.1", "Preset", "None", "old 1, old 2, new")]
    public async Task FirstRequest_OfAConnection_GoesBeforeOthersWhereTheOptionSaysSo(string version, string key, string value, string order)
    {
        await using var app = await StartAsync(version, new($"AdaptivePool:{key}", value));
        HttpClient[] old = [Connect(app, version), Connect(app, version)];
        foreach (var client in old)
        {
            (await client.GetStringAsync(Path("warm"))).ShouldBe("warm");
        }

        await _held.HoldAsync(app);
        List<Task<string>> requests = [];
        foreach (var (client, name) in new[] { (old[0], "old 1"), (old[1], "old 2"), (Connect(app, version), "new") })
        {
            requests.Add(client.GetStringAsync(Path(name)));
            await HeldPool.QueuedAsync(app.Pool, "work", requests.Count);
        }

        _held.Open();
        await Task.WhenAll(requests);
        string.Join(", ", _ran.Skip(2)).ShouldBe(order);
    }

    [Fact]
    public async Task FirstRequest_SeveralOfOneConnectionAtOnce_OneIsTheFirst()
    {
        await using var app = await StartAsync("2.0", new("AdaptivePool:NewConnectionPriority", "High"));
        await _held.HoldAsync(app);
        var client = Connect(app, "2.0");
        Task<string>[] requests = [.. Enumerable.Range(0, 20).Select(i => client.GetStringAsync(Path($"{i}")))];
        await HeldPool.QueuedAsync(app.Pool, "work", requests.Length);

        app.Pool.GetSnapshot(100).QueuedItems.Count(static row => row.Priority == WorkPriority.High).ShouldBe(1);

        _held.Open();
        await Task.WhenAll(requests);
    }

    [Fact]
    public async Task FirstRequest_TwoAskAtOnceForItemsThatAreMadeThen_OneIsTheFirst()
    {
        await using var app = await StartAsync("1.1", new("AdaptivePool:NewConnectionPriority", "High"), new MadeWhenAskedFor());
        await _held.HoldAsync(app);
        Task<string>[] requests = [.. Enumerable.Range(0, 2).Select(i => Connect(app, "1.1").GetStringAsync(Path($"{i}")))];
        await HeldPool.QueuedAsync(app.Pool, "work", requests.Length);

        app.Pool.GetSnapshot(100).QueuedItems.Count(static row => row.Priority == WorkPriority.High).ShouldBe(1);

        _held.Open();
        await Task.WhenAll(requests);
    }

    [Fact]
    public async Task FirstRequest_AServerWithoutConnections_IsAnyOther()
    {
        await using var app = TestApp.Build(
            it =>
            {
                it.UseAdaptivePool();
                it.MapGet("/work", () => "done");
            },
            static it =>
            {
                it.WebHost.UseTestServer();
                it.Services.AddAdaptivePool();
            },
            [new("AdaptivePool:NewConnectionPriority", "High")]);
        await app.StartAsync();
        using var client = app.GetTestClient();

        (await client.GetStringAsync(new Uri("/work", UriKind.Relative))).ShouldBe("done");

        app.Services.GetRequiredService<AdaptiveThreadPool>().NewConnectionPriority.ShouldBe(WorkPriority.High);
        await app.StopAsync();
    }

    private static Uri Path(string name) => new($"/work?name={name}", UriKind.Relative);

    /// <param name="version">Of HTTP.</param>
    /// <param name="setting">Of the pool.</param>
    /// <param name="connection">What all requests for "/work" take for their connection; null for what it is.</param>
    private async Task<TestApp> StartAsync(string version, KeyValuePair<string, string?> setting, IConnectionItemsFeature? connection = null)
    {
        var app = await TestApp.StartAsync(
            it =>
            {
                it.Use((context, next) =>
                {
                    if (connection is not null && context.Request.Path == "/work")
                    {
                        context.Features.Set(connection);
                    }

                    return next(context);
                });
                it.UseAdaptivePool();
                _held.Map(it);
                it.MapGet("/work", (string name) =>
                {
                    _ran.Enqueue(name);
                    return name;
                }).RunOnAdaptivePool("work");
            },
            it =>
            {
                it.SpeakHttp(version);
                it.Services.AddAdaptivePool();
            },
            [.. HeldPool.Settings, setting, new("AdaptivePool:PriorityKickUp", "Infinite")]); // nothing goes first because it has waited
        app.SpeakHttp(version);
        return app;
    }

    /// <summary>A client with one connection of its own.</summary>
    private HttpClient Connect(TestApp app, string version)
    {
        var client = new HttpClient(new SocketsHttpHandler { UseProxy = false, MaxConnectionsPerServer = 1 })
        {
            BaseAddress = app.Address,
            Timeout = TestApp.Patience,
            DefaultRequestVersion = Version.Parse(version),
            DefaultVersionPolicy = HttpVersionPolicy.RequestVersionExact,
        };
        _clients.Add(client);
        return client;
    }

    /// <summary>Makes its items as Kestrel does, each caller its own while there are none; the first waits for a second one.</summary>
    private sealed class MadeWhenAskedFor : IConnectionItemsFeature
    {
        private static readonly TimeSpan s_moment = TimeSpan.FromSeconds(2);

        private IDictionary<object, object?>? _items;
        private int _callers;

        public IDictionary<object, object?> Items
        {
            get
            {
                if (Volatile.Read(ref _items) is { } made)
                {
                    return made;
                }

                Interlocked.Increment(ref _callers);
                SpinWait.SpinUntil(() => Volatile.Read(ref _callers) > 1, s_moment);
                return _items = new Dictionary<object, object?>();
            }

            set => _items = value;
        }
    }
}
