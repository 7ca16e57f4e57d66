using System.Collections.Concurrent;
using System.Diagnostics.CodeAnalysis;
using System.Reflection;
using Microsoft.AspNetCore.Http.Connections;

namespace AdaptivePool.Hosting.Hubs;

/// <summary>Stores where the code of each hub runs.</summary>
internal sealed class HubPlaces(RequestTargets targets, IOptions<AdaptivePoolHostingOptions> hosting)
{
    // Keyed weakly, because an application may replace its endpoints while it runs.
    private readonly ConditionalWeakTable<Endpoint, HubPlace> _byEndpoint = [];
    private readonly ConcurrentDictionary<Type, Endpoint> _withoutEndpoint = new();

    // The methods of each hub with attributes about where or how they run.
    private readonly ConcurrentDictionary<Type, MethodInfo[]> _marked = new();

    private bool AreOnPool => hosting.Value is { Enabled: true, Hubs: true };

    /// <summary>Where a hub's code runs; null when it runs on the runtime's pool.</summary>
    /// <param name="hub">The hub.</param>
    /// <param name="endpoint">The endpoint by which its clients reach it; null for a connection without an endpoint.</param>
    public HubPlace? Get(Type hub, Endpoint? endpoint)
    {
        if (!AreOnPool)
        {
            return null;
        }

        var key = endpoint ?? _withoutEndpoint.GetOrAdd(
            hub,
            static it => new Endpoint(null, new EndpointMetadataCollection(it.GetCustomAttributes(inherit: true)), it.FullName ?? it.Name));
        return EndpointClassRule.IsDisabled(key.Metadata) ? null : _byEndpoint.GetValue(key, it => new HubPlace(hub, it.Metadata, targets.Get(it), targets));
    }

    /// <summary>Refuses a hub whose methods name something that does not exist or is not allowed, or something that only endpoints can have.</summary>
    /// <exception cref="InvalidOperationException">A method names a pool that does not exist, has a wrong value, or requires a gate.</exception>
    public void Check([DynamicallyAccessedMembers(DynamicallyAccessedMemberTypes.PublicMethods)] Type hub)
    {
        List<MethodInfo> marked = [];
        foreach (var method in hub.GetMethods(BindingFlags.Public | BindingFlags.Instance))
        {
            var name = HubPlace.NameOf(hub, method);
            if (method.GetCustomAttribute<RequireTransactionGateAttribute>(inherit: true) is { } required)
            {
                throw new InvalidOperationException(
                    $"The hub method '{name}' requires the transaction gate '{required.GateName}', which admits requests and not calls of hubs: "
                    + "enter the gate in the method, with 'await gate.AcquireAsync(...)'.");
            }

            if (AreOnPool)
            {
                var metadata = new EndpointMetadataCollection(method.GetCustomAttributes(typeof(ICheckedMetadata), inherit: true));
                targets.Check(metadata, $"hub method '{name}'");
                marked.AddRange(metadata.Count > 0 ? [method] : []);
            }
        }

        _marked[hub] = [.. marked];
    }

    /// <summary>
    /// Bounds the queues of the classes that methods of an endpoint's hub name. This happens at the start and not at the first call, because other calls of
    /// the class may come before.
    /// </summary>
    /// <param name="endpoint">Any endpoint.</param>
    /// <exception cref="InvalidOperationException">Another endpoint or method of such a class has set another bound.</exception>
    public void Bound(Endpoint endpoint)
    {
        if (endpoint.Metadata.Find<HubMetadata>() is not { HubType: var hub } || endpoint.Metadata.Find<NegotiateMetadata>() is not null
            || !_marked.TryGetValue(hub, out var marked))
        {
            return;
        }

        var isBounded = endpoint.Metadata.Find<LimitQueueAttribute>() is not null;
        foreach (var method in marked.Where(it => isBounded || it.GetCustomAttribute<LimitQueueAttribute>(inherit: true) is not null))
        {
            _ = Get(hub, endpoint)?.Of(method);
        }
    }
}
