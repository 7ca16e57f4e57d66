using System.Collections.Concurrent;
using System.Reflection;

namespace AdaptivePool.Hosting.Hubs;

/// <summary>Where the code of a hub runs, for clients that reach the hub by one endpoint.</summary>
/// <param name="hub">The hub.</param>
/// <param name="metadata">The metadata of the endpoint, which include the hub's attributes.</param>
/// <param name="loop">Where the loop of each connection runs. The loop reads messages, creates the hub and checks whether the user may call it.</param>
/// <param name="targets">Creates the targets of methods.</param>
internal sealed class HubPlace(Type hub, EndpointMetadataCollection metadata, RequestTarget loop, RequestTargets targets)
{
    private readonly ConcurrentDictionary<MethodInfo, RequestTarget> _methods = new();

    public RequestTarget Loop => loop;

    /// <summary>Where a method of the hub runs: in a class of its own, unless the method or the hub names a class.</summary>
    public RequestTarget Of(MethodInfo method) => _methods.GetOrAdd(method, Create);

    /// <summary>Returns the name of a method, which its activities also have.</summary>
    public static string NameOf(Type hub, MethodInfo method) =>
        $"{hub.FullName ?? hub.Name}/{method.GetCustomAttribute<HubMethodNameAttribute>()?.Name ?? method.Name}";

    private RequestTarget Create(MethodInfo method)
    {
        // Metadata that are closer to the code come last, and take precedence.
        var all = new EndpointMetadataCollection([.. metadata, .. method.GetCustomAttributes(inherit: true)]);
        var name = NameOf(hub, method);
        return targets.Create(all, EndpointClassRule.ClassName(all) ?? name, $"hub method '{name}'");
    }
}
