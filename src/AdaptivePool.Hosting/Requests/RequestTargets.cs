using System.Collections.Concurrent;
using AdaptivePool.Hosting.Connections;
using AdaptivePool.Hosting.Logging;

namespace AdaptivePool.Hosting.Requests;

/// <summary>Where requests run: the target of each endpoint and of each hub's method, in the application's pools, which they name.</summary>
internal sealed class RequestTargets(
    IServiceProvider services,
    IEnumerable<NamedPool> pools,
    PoolLog log,
    IOptionsMonitor<AdaptivePoolOptions> options,
    ConnectionEndpoints connections,
    QueueLimits limits)
{
    private const string DefaultClass = "default";

    private readonly ConcurrentDictionary<string, AdaptiveThreadPool> _known = new(StringComparer.Ordinal);
    private readonly string[] _names = [.. pools.Select(static pool => pool.Name)];

    // Keyed weakly, because an application may replace its endpoints while it runs.
    private readonly ConditionalWeakTable<Endpoint, RequestTarget> _targets = [];
    private RequestTarget? _default;

    /// <summary>The target of an endpoint, or of requests without one if it is <see langword="null"/>.</summary>
    public RequestTarget Get(Endpoint? endpoint) =>
        endpoint is null ? _default ??= CreateDefault()
        : _targets.TryGetValue(endpoint, out var known) ? known
        : _targets.GetValue(endpoint, it => Create(it.Metadata, EndpointClassRule.ClassName(it), EndpointClassRule.Words(it), it));

    /// <summary>The target that the metadata describe.</summary>
    /// <param name="metadata">The metadata of an endpoint, or of a hub's method.</param>
    /// <param name="className">The class; null for the default class.</param>
    /// <param name="owner">The owner of the metadata, in words.</param>
    /// <param name="endpoint">The endpoint; null for a hub's method.</param>
    /// <exception cref="InvalidOperationException">A value of the metadata is not allowed, or there is no such pool.</exception>
    public RequestTarget Create(EndpointMetadataCollection metadata, string? className, string owner, Endpoint? endpoint = null)
    {
        if (EndpointClassRule.IsDisabled(metadata))
        {
            return RequestTarget.RuntimePool;
        }

        // Once more: an endpoint may have been added since the start.
        Check(metadata, owner);

        // A route, a display name or a hub's method can have any text.
        var name = className is null ? null : OptionText.Printable(className);
        var workClass = GetClass(metadata, name);

        // If the pool has no room for the class, the endpoint shares the default class, and its limits must not apply to all others there. The pool reports
        // that.
        if (workClass.Name == (name ?? DefaultClass))
        {
            limits.Take(workClass, metadata.Find<LimitQueueAttribute>(), owner, endpoint);
        }

        return new RequestTarget(workClass, metadata) { IsOfConnections = endpoint is not null && connections.Contains(endpoint) };
    }

    /// <summary>Refuses metadata that have a value that is not allowed, or name a pool that does not exist.</summary>
    /// <param name="metadata">The metadata of an endpoint, or of a hub's method.</param>
    /// <param name="owner">The owner of the metadata, in words.</param>
    /// <exception cref="InvalidOperationException">The metadata have such a value, or name such a pool.</exception>
    public void Check(EndpointMetadataCollection metadata, string owner)
    {
        foreach (var one in metadata.FindAll<ICheckedMetadata>())
        {
            EndpointClassRule.Check(one, owner);
        }

        if (EndpointClassRule.PoolName(metadata) is { } name && !_names.Contains(name, StringComparer.Ordinal))
        {
            throw new InvalidOperationException(
                $"The {owner} is to run on the pool '{name}', which does not exist; there "
                + (_names.Length == 0 ? "is no named pool" : $"are: {string.Join(", ", _names)}")
                + $". Call 'builder.Services.AddAdaptivePool(\"{name}\", ...)'.");
        }
    }

    /// <summary>Logs when endpoints name more classes than their pool may have.</summary>
    public void CheckRoom(IEnumerable<Endpoint> endpoints)
    {
        // The default class is there whether anything names it or not.
        var byPool =
            from endpoint in endpoints
            where !EndpointClassRule.IsDisabled(endpoint.Metadata)
            let name = EndpointClassRule.ClassName(endpoint)
            where name is not (null or DefaultClass)
            group name by EndpointClassRule.PoolName(endpoint.Metadata) ?? Options.DefaultName;
        foreach (var classes in byPool)
        {
            var pool = options.Get(classes.Key);
            if (classes.Distinct(StringComparer.Ordinal).Count() >= pool.MaxClasses)
            {
                log.LogOverflow(pool.Name, pool.MaxClasses, PoolSection.KeyOf(classes.Key, nameof(pool.MaxClasses)));
            }
        }
    }

    private RequestTarget CreateDefault()
    {
        var nothing = EndpointMetadataCollection.Empty;
        return new RequestTarget(GetClass(nothing, null), nothing) { SendsFiles = true };
    }

    /// <summary>The class of this name in a pool, or the pool's default class when there is no room for one more.</summary>
    /// <param name="metadata">The metadata that name the pool. They have been checked.</param>
    /// <param name="className">The class; <see langword="null"/> for the default class.</param>
    private WorkClass GetClass(EndpointMetadataCollection metadata, string? className)
    {
        var pool = _known.GetOrAdd(EndpointClassRule.PoolName(metadata) ?? "", key =>
        {
            var first = key.Length == 0 ? services.GetRequiredService<AdaptiveThreadPool>() : services.GetRequiredKeyedService<AdaptiveThreadPool>(key);
            log.Follow(first);
            log.LogInUse(first);
            return first;
        });
        return className is null ? pool.DefaultClass : pool.GetClass(className);
    }
}
