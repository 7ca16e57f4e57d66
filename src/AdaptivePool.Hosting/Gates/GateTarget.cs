using AdaptivePool.Admission;

namespace AdaptivePool.Hosting.Gates;

/// <summary>The gate of an endpoint, and how its requests ask to enter. A feature of the requests that are inside.</summary>
/// <param name="Gate">The gate.</param>
/// <param name="Name">The name of a request that says none.</param>
/// <param name="Required">What the endpoint says.</param>
internal sealed record GateTarget(TransactionGate Gate, string? Name, RequireTransactionGateAttribute Required)
{
    /// <summary>Whether a request is inside of the gate that an endpoint requires: it may have entered another one as another endpoint.</summary>
    public static bool IsInside(HttpContext context, RequireTransactionGateAttribute required) =>
        context.Features.Get<GateTarget>() is { } entered && entered.Required.GateName == required.GateName;

    public TransactionRequest Ask(HttpContext context)
    {
        if (Required.Describe is not { } describe)
        {
            return new TransactionRequest { Name = Name, Priority = Required.Priority };
        }

        var request = describe(context);
        return request.Name is null ? request with { Name = Name } : request;
    }
}
