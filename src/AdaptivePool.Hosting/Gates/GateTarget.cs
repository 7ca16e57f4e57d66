using AdaptivePool.Admission;

namespace AdaptivePool.Hosting.Gates;

/// <summary>The gate of an endpoint, and how its requests ask to enter.</summary>
internal sealed class GateTarget(TransactionGate gate, string? name, RequireTransactionGateAttribute metadata)
{
    public TransactionGate Gate => gate;

    public TransactionRequest Ask(HttpContext context)
    {
        if (metadata.Describe is not { } describe)
        {
            return new TransactionRequest { Name = name, Priority = metadata.Priority };
        }

        var request = describe(context);
        return request.Name is null ? request with { Name = name } : request;
    }
}
