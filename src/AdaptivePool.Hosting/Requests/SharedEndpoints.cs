using System.Collections;
using System.Diagnostics.CodeAnalysis;
using System.Reflection;
using Microsoft.Extensions.Primitives;

namespace AdaptivePool.Hosting.Requests;

/// <summary>
/// Lets routing use the list of endpoints that the checks at the start have built. Routing keeps a list of its own, and sources of minimal endpoints build
/// these anew, with all their code, for each list.
/// </summary>
/// <param name="app">The server's pipeline, before the application has added to it.</param>
internal sealed class SharedEndpoints(IApplicationBuilder app) : EndpointDataSource
{
    private ICollection<EndpointDataSource>? _sources;
    private EndpointDataSource[] _own = [];
    private EndpointDataSource? _all;

    /// <summary>
    /// The list that the start has built. Routing asks with the first request, and a source of minimal endpoints does not tell that more have been mapped by
    /// then.
    /// </summary>
    public override IReadOnlyList<Endpoint> Endpoints =>
        _all!.Endpoints is var built && built.Count == _own.Sum(Count) ? built : [.. _own.SelectMany(static it => it.Endpoints)];

    public override IChangeToken GetChangeToken() => _all!.GetChangeToken();

    /// <summary>Called for the end of the pipeline. It is built first, when the application has added all of its endpoints, and before routing takes its list.
    /// </summary>
    public RequestDelegate Begin(RequestDelegate end)
    {
        // Not if some endpoints belong to a branch that routes by itself: the application's routing must not find them.
        if (app.Properties.TryGetValue(RequestStartupFilter.RoutingKey, out var routing) && routing is IEndpointRouteBuilder { DataSources: { } sources }
            && app.ApplicationServices.GetService<EndpointDataSource>() is CompositeEndpointDataSource all && all.DataSources.SequenceEqual(sources))
        {
            (_sources, _own, _all) = (sources, [.. sources], all);
            sources.Clear();
            sources.Add(this);
        }

        return end;
    }

    /// <summary>Called when the beginning of the pipeline is built, which comes last: the application finds its sources as it has left them.</summary>
    public void End()
    {
        if (_sources is { } sources)
        {
            sources.Clear();
            Array.ForEach(_own, sources.Add);
        }
    }

    /// <summary>The number of endpoints of a source. It does not build them if the framework's own sources can be looked into.</summary>
    private static int Count(EndpointDataSource source) =>
        Field(source, "_routeEntries") is ICollection entries ? entries.Count
        : Field(source, "_routeGroupBuilder") is IEndpointRouteBuilder group ? group.DataSources.Sum(Count)
        : source.Endpoints.Count;

    [UnconditionalSuppressMessage("Trimming", "IL2075", Justification = "Where the field is not there, the endpoints are built once more.")]
    private static object? Field(EndpointDataSource source, string name) =>
        source.GetType() is { } type && type.Assembly == typeof(EndpointDataSource).Assembly
            ? type.GetField(name, BindingFlags.Instance | BindingFlags.NonPublic)?.GetValue(source) : null;
}
