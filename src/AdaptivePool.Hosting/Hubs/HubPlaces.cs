using System.Collections.Concurrent;
using System.Diagnostics.CodeAnalysis;
using System.Reflection;

namespace AdaptivePool.Hosting.Hubs;

/// <summary>Remembers where the code of each hub runs.</summary>
internal sealed class HubPlaces(RequestTargets targets, IOptions<AdaptivePoolHostingOptions> hosting)
{
    // Keyed weakly, because an application may replace its endpoints while it runs.
    private readonly ConditionalWeakTable<Endpoint, HubPlace> _byEndpoint = [];
    private readonly ConcurrentDictionary<Type, Endpoint> _withoutEndpoint = new();

    private bool AreOnPool => hosting.Value is { Enabled: true, Hubs: true };

    /// <summary>Where a hub's code runs; null when that is the runtime's pool.</summary>
    /// <param name="hub">The hub.</param>
    /// <param name="endpoint">The endpoint that its clients reach it by; null where a connection comes without one.</param>
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

    /// <summary>Refuses a hub whose methods ask for what does not exist or is not allowed, or for what only endpoints have.</summary>
    /// <exception cref="InvalidOperationException">A method names a pool that does not exist, has a wrong value, or requires a gate.</exception>
    public void Check([DynamicallyAccessedMembers(DynamicallyAccessedMemberTypes.PublicMethods)] Type hub)
    {
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
                targets.Check(new EndpointMetadataCollection(method.GetCustomAttributes(typeof(ICheckedMetadata), inherit: true)), $"hub method '{name}'");
            }
        }
    }
}
