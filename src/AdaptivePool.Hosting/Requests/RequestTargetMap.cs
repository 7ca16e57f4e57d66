using System.Runtime.CompilerServices;
using AdaptivePool.Hosting.Gates;
using Microsoft.AspNetCore.Http;

namespace AdaptivePool.Hosting.Requests;

/// <summary>Remembers the target of each endpoint. Keyed weakly, because an application may replace its endpoints while it runs.</summary>
internal sealed class RequestTargetMap
{
    private readonly ConditionalWeakTable<Endpoint, RequestTarget> _targets = [];
    private readonly ConditionalWeakTable<Endpoint, RequestTarget>.CreateValueCallback _create;
    private readonly RequestTarget _default;

    public RequestTargetMap(PoolDirectory pools, IServiceProvider services)
    {
        _default = new RequestTarget(pools.Get(null, null).DefaultClass);
        _create = endpoint =>
        {
            if (EndpointClassRule.IsDisabled(endpoint))
            {
                return RequestTarget.RuntimePool;
            }

            var pool = pools.Get(EndpointClassRule.PoolName(endpoint), endpoint.DisplayName);
            var workClass = EndpointClassRule.ClassName(endpoint) is { } name ? pool.GetClass(name) : pool.DefaultClass;
            var gate = endpoint.Metadata.GetMetadata<RequireTransactionGateAttribute>() is { } metadata ? GateCatalog.Get(services, metadata.GateName) : null;
            return new RequestTarget(workClass, EndpointClassRule.OnBlocking(endpoint), gate);
        };
    }

    public RequestTarget Get(Endpoint? endpoint) => endpoint is null ? _default : _targets.GetValue(endpoint, _create);
}
