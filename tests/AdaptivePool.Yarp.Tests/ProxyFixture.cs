using System.Diagnostics.Metrics;
using Microsoft.AspNetCore.Builder;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using Yarp.ReverseProxy;
using Yarp.ReverseProxy.Configuration;
using Yarp.ReverseProxy.Model;

namespace AdaptivePool.Yarp.Tests;

/// <summary>A proxy before two backends.</summary>
internal sealed class ProxyFixture : IAsyncDisposable
{
    private readonly WebApplication _proxy;
    private readonly MeterListener _listener = new();
    private readonly Dictionary<string, double> _counts = new(StringComparer.Ordinal);

    private ProxyFixture(WebApplication proxy, ReportingBackend[] backends)
    {
        (_proxy, Backends) = (proxy, backends);
        Client = Front.Client(proxy);
    }

    public ReportingBackend[] Backends { get; }

    public HttpClient Client { get; }

    /// <summary>Who makes the meters of this proxy alone.</summary>
    public IMeterFactory Meters => _proxy.Services.GetRequiredService<IMeterFactory>();

    public RecordedLog Log { get; private init; } = new();

    public static async Task<ProxyFixture> StartAsync(string policy, Action<CollaborativeProxyOptions>? configure = null, bool waits = false, int backends = 2,
        string[]? more = null, TimeSpan? connectTimeout = null, Action<WebApplication>? map = null, string? reassigned = null,
        SessionAffinityConfig? affinity = null, Action<IServiceCollection>? services = null)
    {
        ReportingBackend[] all = await Task.WhenAll(Enumerable.Range(0, backends).Select(_ => ReportingBackend.StartAsync()));
        map ??= waits
            ? app => app.MapReverseProxy(proxy =>
            {
                proxy.UseAdaptivePoolLoadBalancing();
                proxy.UseLoadBalancing();
            })
            : app => app.MapReverseProxy();
        RecordedLog log = new();
        WebApplication app = await Front.StartProxyAsync(policy, [.. all.Select(b => b.Url), .. more ?? []], proxy =>
        {
            proxy.AddAdaptivePoolLoadBalancing(configure);
            services?.Invoke(proxy.Services);
            proxy.Services.AddLogging(logging => logging.AddProvider(log).SetMinimumLevel(LogLevel.Debug));
            proxy.ConfigureHttpClient((_, handler) => handler.ConnectTimeout = connectTimeout ?? handler.ConnectTimeout);
        }, map, reassigned, affinity);
        ProxyFixture fixture = new(app, all) { Log = log };
        fixture.Listen(app.Services.GetRequiredService<IMeterFactory>());
        return fixture;
    }

    /// <summary>Sum of a meter's counts.</summary>
    public double Count(string name)
    {
        lock (_counts)
        {
            return _counts.GetValueOrDefault(name);
        }
    }

    /// <summary>Values that are observed now.</summary>
    public double Observe(string name)
    {
        lock (_counts)
        {
            _counts.Remove(name);
        }

        _listener.RecordObservableInstruments();
        return Count(name);
    }

    public async Task<int[]> SendAsync(int count)
    {
        int[] before = [.. Backends.Select(b => b.Requests)];
        for (int i = 0; i < count; i++)
        {
            (await Client.GetStringAsync("/")).ShouldBe("ok");
        }

        return [.. Backends.Select((b, i) => b.Requests - before[i])];
    }

    /// <summary>Sends until each backend has got a new request: one that has answered slowly so far is tried again after a while only.</summary>
    public async Task SendToAllAsync()
    {
        int[] before = [.. Backends.Select(b => b.Requests)];
        while (Backends.Zip(before).Any(b => b.First.Requests == b.Second))
        {
            await Task.WhenAll(Enumerable.Range(0, 8).Select(_ => Client.GetStringAsync("/")));
        }
    }

    /// <summary>Gives the only destination another address.</summary>
    public void Move(string address) => Change(
        destinations => destinations.ToDictionary(static it => it.Key, _ => new DestinationConfig { Address = address }, StringComparer.Ordinal),
        state => state.Destinations.Values.All(it => it.Model.Config.Address == address));

    /// <summary>Takes all destinations out of the configuration.</summary>
    public void TakeOut() => Change(static _ => new Dictionary<string, DestinationConfig>(StringComparer.Ordinal), static state => state.Destinations.IsEmpty);

    /// <summary>Gives the cluster another policy.</summary>
    public void ChangePolicy(string policy) => Change(
        cluster => cluster with { LoadBalancingPolicy = policy }, state => state.Model.Config.LoadBalancingPolicy == policy);

    private void Change(
        Func<IReadOnlyDictionary<string, DestinationConfig>, Dictionary<string, DestinationConfig>> change, Predicate<ClusterState> isInForce) =>
        Change(cluster => cluster with { Destinations = change(cluster.Destinations!) }, isInForce);

    private void Change(Func<ClusterConfig, ClusterConfig> change, Predicate<ClusterState> isInForce)
    {
        InMemoryConfigProvider provider = _proxy.Services.GetRequiredService<InMemoryConfigProvider>();
        ClusterConfig cluster = provider.GetConfig().Clusters[0];
        provider.Update(provider.GetConfig().Routes, [change(cluster)]);
        IProxyStateLookup states = _proxy.Services.GetRequiredService<IProxyStateLookup>();
        SpinWait.SpinUntil(
            () => states.TryGetCluster(cluster.ClusterId, out ClusterState? state) && isInForce(state), TimeSpan.FromSeconds(30)).ShouldBeTrue();
    }

    public async ValueTask DisposeAsync()
    {
        _listener.Dispose();
        Client.Dispose();
        await _proxy.DisposeAsync();
        foreach (ReportingBackend backend in Backends)
        {
            await backend.DisposeAsync();
        }
    }

    private void Listen(IMeterFactory own)
    {
        _listener.InstrumentPublished = (instrument, listener) =>
        {
            // Other tests have proxies of their own in this process, each with a factory of its own.
            if (instrument.Meter.Name == ProxyMetrics.MeterName && ReferenceEquals(instrument.Meter.Scope, own))
            {
                listener.EnableMeasurementEvents(instrument);
            }
        };
        _listener.SetMeasurementEventCallback<long>((instrument, value, tags, _) => Add(instrument, value, tags));
        _listener.SetMeasurementEventCallback<double>((instrument, value, tags, _) => Add(instrument, value, tags));
        _listener.Start();
    }

    private void Add(Instrument instrument, double value, ReadOnlySpan<KeyValuePair<string, object?>> tags)
    {
        string name = instrument.Name["adaptivepool.proxy.".Length..];
        foreach (KeyValuePair<string, object?> tag in tags)
        {
            name += tag.Key == "verdict" ? "." + tag.Value : "";
        }

        lock (_counts)
        {
            _counts[name] = _counts.GetValueOrDefault(name) + value;
        }
    }
}
