using Microsoft.AspNetCore.Routing.Matching;

namespace AdaptivePool.Hosting.Requests;

/// <summary>
/// Makes endpoints look at each request that reaches them, as the framework does with authorization: the place in the pipeline that a request must pass first
/// may stand before routing, or in another branch. This is done where routing chooses the endpoint, because nothing else is between the pipeline and the
/// endpoint for all kinds of them.
/// </summary>
internal abstract class CheckingEndpointSelector : MatcherPolicy, IEndpointSelectorPolicy
{
    // Keyed weakly, because an application may replace its endpoints while it runs.
    private readonly ConditionalWeakTable<Endpoint, Endpoint> _checked = [];

    /// <summary>The last policy: it checks what the others have chosen.</summary>
    public override int Order => int.MaxValue;

    public bool AppliesToEndpoints(IReadOnlyList<Endpoint> endpoints) => IsActive && (ContainsDynamicEndpoints(endpoints) || endpoints.Any(IsChecked));

    public Task ApplyAsync(HttpContext httpContext, CandidateSet candidates)
    {
        for (var i = 0; i < candidates.Count; i++)
        {
            if (candidates.IsValidCandidate(i) && candidates[i].Endpoint is { } endpoint && IsChecked(endpoint))
            {
                // Looks for a known one first: the function for a new one would be an object for each request.
                var made = _checked.TryGetValue(endpoint, out var known) ? known : _checked.GetValue(endpoint, it => Check((RouteEndpoint)it));
                candidates.ReplaceEndpoint(i, made, candidates[i].Values ?? []);
            }
        }

        return Task.CompletedTask;
    }

    /// <summary>Whether there is anything to look for in this application.</summary>
    protected virtual bool IsActive => true;

    /// <summary>Whether an endpoint has something to look for.</summary>
    protected abstract bool Needs(Endpoint endpoint);

    /// <summary>Makes what runs in place of an endpoint: it looks at the request first.</summary>
    /// <param name="endpoint">The endpoint.</param>
    /// <param name="run">Runs it.</param>
    protected abstract RequestDelegate Check(Endpoint endpoint, RequestDelegate run);

    private bool IsChecked(Endpoint endpoint) => endpoint is RouteEndpoint { RequestDelegate: not null } && Needs(endpoint);

    private RouteEndpoint Check(RouteEndpoint endpoint) =>
        new(Check(endpoint, endpoint.RequestDelegate!), endpoint.RoutePattern, endpoint.Order, endpoint.Metadata, endpoint.DisplayName);
}
