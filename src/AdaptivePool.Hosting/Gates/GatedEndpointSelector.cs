using System.Runtime.CompilerServices;
using AdaptivePool.Hosting.Requests;
using Microsoft.AspNetCore.Routing.Matching;

namespace AdaptivePool.Hosting.Gates;

/// <summary>
/// Makes an endpoint that requires a gate throw when a request reaches it past the gate, as the framework does with authorization: the place in the pipeline
/// that leads through gates may stand before routing, or in another branch.
/// Done where routing chooses the endpoint, because nothing else is between the pipeline and the endpoint for all kinds of them.
/// </summary>
internal sealed class GatedEndpointSelector : MatcherPolicy, IEndpointSelectorPolicy
{
    // Keyed weakly, because an application may replace its endpoints while it runs.
    private readonly ConditionalWeakTable<Endpoint, Endpoint> _checked = [];

    /// <summary>The last one: what others have chosen.</summary>
    public override int Order => int.MaxValue;

    public bool AppliesToEndpoints(IReadOnlyList<Endpoint> endpoints) => ContainsDynamicEndpoints(endpoints) || endpoints.Any(IsGated);

    public Task ApplyAsync(HttpContext httpContext, CandidateSet candidates)
    {
        for (var i = 0; i < candidates.Count; i++)
        {
            if (candidates.IsValidCandidate(i) && candidates[i].Endpoint is { } endpoint && IsGated(endpoint))
            {
                candidates.ReplaceEndpoint(i, _checked.GetValue(endpoint, static it => Check((RouteEndpoint)it)), candidates[i].Values ?? []);
            }
        }

        return Task.CompletedTask;
    }

    private static bool IsGated(Endpoint endpoint) =>
        endpoint is RouteEndpoint { RequestDelegate: not null } && endpoint.Metadata.Find<RequireTransactionGateAttribute>() is not null;

    private static RouteEndpoint Check(RouteEndpoint endpoint)
    {
        var run = endpoint.RequestDelegate!;
        var required = endpoint.Metadata.Find<RequireTransactionGateAttribute>()!;
        return new RouteEndpoint(
            context => GateTarget.IsInside(context, required) ? run(context) : throw Missed(endpoint, required),
            endpoint.RoutePattern,
            endpoint.Order,
            endpoint.Metadata,
            endpoint.DisplayName);
    }

    private static InvalidOperationException Missed(RouteEndpoint endpoint, RequireTransactionGateAttribute required) => new(
        $"The endpoint '{endpoint.DisplayName}' requires the transaction gate '{required.GateName}', but the request did not pass it. Call "
        + "'app.UseAdaptivePool()' or 'app.UseTransactionGates()' after 'app.UseRouting()', in the branch of the endpoint, and after middleware that runs "
        + "a request once more as another endpoint.");
}
