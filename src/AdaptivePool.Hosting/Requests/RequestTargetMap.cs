using System.Runtime.CompilerServices;
using AdaptivePool.Hosting.Gates;

namespace AdaptivePool.Hosting.Requests;

/// <summary>Remembers the target of each endpoint. Keyed weakly, because an application may replace its endpoints while it runs.</summary>
internal sealed class RequestTargetMap
{
    private readonly ConditionalWeakTable<Endpoint, RequestTarget> _targets = [];
    private readonly ConditionalWeakTable<Endpoint, RequestTarget>.CreateValueCallback _create;
    private readonly PoolDirectory _pools;
    private readonly Lazy<RequestTarget> _default;

    public RequestTargetMap(PoolDirectory pools, IServiceProvider services)
    {
        _pools = pools;
        _default = new Lazy<RequestTarget>(() => new RequestTarget(pools.GetClass(null, null, "a request without an endpoint"), mayBeGuest: true)
        {
            SendsFiles = true,
        });
        _create = endpoint =>
        {
            var gate = endpoint.Metadata.GetMetadata<RequireTransactionGateAttribute>() is { } metadata && !EndpointClassRule.IsDisabled(endpoint.Metadata)
                ? GateCatalog.Get(services, metadata.GateName)
                : null;
            return Create(endpoint.Metadata, EndpointClassRule.ClassName(endpoint), EndpointClassRule.Words(endpoint), gate);
        };
    }

    public RequestTarget Get(Endpoint? endpoint) => endpoint is null ? _default.Value : _targets.GetValue(endpoint, _create);

    /// <summary>The target that the metadata describe.</summary>
    /// <param name="metadata">Of an endpoint, or of a hub's method.</param>
    /// <param name="className">The class; null for the default class.</param>
    /// <param name="owner">Whose metadata they are, in words.</param>
    /// <param name="gate">The gate before it.</param>
    /// <exception cref="InvalidOperationException">A value of the metadata is not allowed, or there is no such pool.</exception>
    public RequestTarget Create(EndpointMetadataCollection metadata, string? className, string owner, Admission.TransactionGate? gate = null)
    {
        if (EndpointClassRule.IsDisabled(metadata))
        {
            return RequestTarget.RuntimePool;
        }

        // Once more: an endpoint may have been added since the start.
        return EndpointClassRule.Failure(metadata, owner) is { } failure
            ? throw new InvalidOperationException(failure)
            : new RequestTarget(
                _pools.GetClass(EndpointClassRule.PoolName(metadata), className, owner, EndpointClassRule.QueueLimit(metadata)),
                EndpointClassRule.OnBlocking(metadata),
                gate,
                EndpointClassRule.MayBeGuest(metadata))
            {
                SendsFiles = EndpointClassRule.SendsFiles(metadata),
                CarriesMessages = EndpointClassRule.CarriesMessages(metadata),
            };
    }
}
