namespace AdaptivePool.Hosting.Gates;

/// <summary>The gates of an application by name. Names are compared as written.</summary>
internal sealed class GateCatalog
{
    /// <summary>The names; none where the application has the pool alone.</summary>
    public HashSet<string> Names { get; } = new(StringComparer.Ordinal);

    /// <summary>Set when the pipeline has a place where requests enter gates.</summary>
    public bool IsUsed { get; set; }

    /// <summary>Checks that an endpoint's gate exists.</summary>
    /// <exception cref="InvalidOperationException">It does not exist. The message names the endpoint, the gate and the gates that exist.</exception>
    public static GateCatalog Find(IServiceProvider services, string gateName, string? endpointName)
    {
        var catalog = services.GetService<GateCatalog>();
        return catalog?.Names.Contains(gateName) == true
            ? catalog
            : throw new InvalidOperationException(
                $"The endpoint '{endpointName}' requires the transaction gate '{gateName}', which does not exist; "
                + $"gates: {(catalog is null or { Names.Count: 0 } ? "none" : string.Join(", ", catalog.Names))}. "
                + $"Call 'builder.Services.AddTransactionGate(\"{gateName}\")'.");
    }
}
