using System.Runtime.CompilerServices;
using Microsoft.AspNetCore.Http;

namespace AdaptivePool.Hosting.Requests;

/// <summary>Remembers the target of each endpoint. Keyed weakly, because an application may replace its endpoints while it runs.</summary>
internal sealed class RequestTargetMap
{
    private readonly ConditionalWeakTable<Endpoint, RequestTarget> _targets = [];
    private readonly ConditionalWeakTable<Endpoint, RequestTarget>.CreateValueCallback _create;
    private readonly RequestTarget _default;

    public RequestTargetMap(AdaptiveThreadPool pool)
    {
        _default = new RequestTarget(pool.DefaultClass);
        _create = endpoint =>
        {
            if (EndpointClassRule.IsDisabled(endpoint))
            {
                return RequestTarget.RuntimePool;
            }

            return EndpointClassRule.ClassName(endpoint) is { } name ? new RequestTarget(pool.GetClass(name)) : _default;
        };
    }

    public RequestTarget Get(Endpoint? endpoint) => endpoint is null ? _default : _targets.GetValue(endpoint, _create);
}
