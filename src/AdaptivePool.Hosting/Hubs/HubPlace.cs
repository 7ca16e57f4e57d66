using System.Collections.Concurrent;
using System.Reflection;

namespace AdaptivePool.Hosting.Hubs;

/// <summary>Where the code of a hub runs that clients reach by one endpoint.</summary>
/// <param name="hub">The hub.</param>
/// <param name="metadata">Of the endpoint, the hub's attributes among them.</param>
/// <param name="loop">Where the loop of each connection runs: it reads messages, makes the hub and checks who may call.</param>
/// <param name="targets">Makes the targets of methods.</param>
internal sealed class HubPlace(Type hub, EndpointMetadataCollection metadata, RequestTarget loop, RequestTargets targets)
{
    private readonly ConcurrentDictionary<MethodInfo, RequestTarget> _methods = new();

    public RequestTarget Loop => loop;

    /// <summary>Where a method of the hub runs: a class of its own, unless it or the hub names one.</summary>
    public RequestTarget Of(MethodInfo method) => _methods.GetOrAdd(method, Create);

    /// <summary>The name that a method's activities have as well.</summary>
    public static string NameOf(Type hub, MethodInfo method) =>
        $"{hub.FullName ?? hub.Name}/{method.GetCustomAttribute<HubMethodNameAttribute>()?.Name ?? method.Name}";

    private RequestTarget Create(MethodInfo method)
    {
        // What stands closer to the code comes last, and wins.
        var all = new EndpointMetadataCollection([.. metadata, .. method.GetCustomAttributes(inherit: true)]);
        var name = NameOf(hub, method);
        return targets.Create(all, EndpointClassRule.ClassName(all) ?? name, $"hub method '{name}'");
    }
}
