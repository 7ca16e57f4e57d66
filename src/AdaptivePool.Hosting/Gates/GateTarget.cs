using AdaptivePool.Hosting.Connections;

namespace AdaptivePool.Hosting.Gates;

/// <summary>The gate of an endpoint, and how its requests ask to enter. A feature of the requests that are inside.</summary>
/// <param name="Gate">The gate.</param>
/// <param name="Name">The name for a request that has none.</param>
/// <param name="Required">The attribute of the endpoint.</param>
/// <param name="IsOfConnections">Whether clients of hubs or connection handlers have their connections there.</param>
/// <param name="Outer">The gate that the request has entered before, as another endpoint, and is still inside of.</param>
internal sealed record GateTarget(TransactionGate Gate, string? Name, RequireTransactionGateAttribute Required, bool IsOfConnections, GateTarget? Outer = null)
{
    /// <summary>
    /// Whether a request is inside of the gate that an endpoint requires: it may have entered others as other endpoints. A message that a client sends over
    /// server-sent events or long polling counts as inside, because its connection already holds a permit: that of the request over which answers come. If the
    /// message needed a permit of its own, it might wait for connections that all wait for such a message.
    /// </summary>
    public static bool IsInside(HttpContext context, Endpoint endpoint, RequireTransactionGateAttribute required, ConnectionEndpoints connections)
    {
        if (connections.CarriesMessage(context, endpoint))
        {
            return true;
        }

        var entered = context.Features.Get<GateTarget>();
        while (entered is not null && entered.Required.GateName != required.GateName)
        {
            entered = entered.Outer;
        }

        return entered is not null;
    }

    public TransactionRequest Ask(HttpContext context)
    {
        var request = Required.Describe?.Invoke(context) ?? new TransactionRequest { Priority = Required.Priority };
        return request.Name is null ? request with { Name = Name } : request;
    }
}
