using AdaptivePool.Hosting.Connections;

namespace AdaptivePool.Hosting.Gates;

/// <summary>Makes an endpoint that requires a gate throw when a request reaches it past the gate.</summary>
internal sealed class GatedEndpointSelector(ConnectionEndpoints connections) : CheckingEndpointSelector
{
    protected override bool Needs(Endpoint endpoint) => endpoint.Metadata.Find<RequireTransactionGateAttribute>() is not null;

    protected override RequestDelegate Check(Endpoint endpoint, RequestDelegate run)
    {
        var required = endpoint.Metadata.Find<RequireTransactionGateAttribute>()!;
        return context => GateTarget.IsInside(context, endpoint, required, connections) ? run(context) : throw Missed(endpoint, required);
    }

    private static InvalidOperationException Missed(Endpoint endpoint, RequireTransactionGateAttribute required) => new(
        $"The endpoint '{endpoint.DisplayName}' requires the transaction gate '{required.GateName}', but the request did not pass it. Call "
        + "'app.UseAdaptivePool()' or 'app.UseTransactionGates()' after 'app.UseRouting()', in the branch of the endpoint, and after middleware that runs "
        + "a request once more as another endpoint.");
}
