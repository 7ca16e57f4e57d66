using System.Runtime.CompilerServices;

namespace AdaptivePool.Hosting.Requests;

/// <summary>Remembers the target of each endpoint. Keyed weakly, because an application may replace its endpoints while it runs.</summary>
internal sealed class RequestTargetMap(PoolDirectory pools)
{
    private readonly ConditionalWeakTable<Endpoint, RequestTarget> _targets = [];

    private readonly Lazy<RequestTarget> _default = new(() =>
        new RequestTarget(pools.GetClass(EndpointMetadataCollection.Empty, null, "a request without an endpoint"), EndpointMetadataCollection.Empty)
        {
            SendsFiles = true,
        });

    public RequestTarget Get(Endpoint? endpoint) =>
        endpoint is null ? _default.Value
        : _targets.TryGetValue(endpoint, out var known) ? known
        : _targets.GetValue(endpoint, it => Create(it.Metadata, EndpointClassRule.ClassName(it), EndpointClassRule.Words(it)));

    /// <summary>The target that the metadata describe.</summary>
    /// <param name="metadata">Of an endpoint, or of a hub's method.</param>
    /// <param name="className">The class; null for the default class.</param>
    /// <param name="owner">Whose metadata they are, in words.</param>
    /// <exception cref="InvalidOperationException">A value of the metadata is not allowed, or there is no such pool.</exception>
    public RequestTarget Create(EndpointMetadataCollection metadata, string? className, string owner)
    {
        if (EndpointClassRule.IsDisabled(metadata))
        {
            return RequestTarget.RuntimePool;
        }

        // Once more: an endpoint may have been added since the start.
        pools.Check(metadata, owner);
        return new RequestTarget(pools.GetClass(metadata, className, owner), metadata);
    }
}
