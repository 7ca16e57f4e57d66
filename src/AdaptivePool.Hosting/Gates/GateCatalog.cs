using AdaptivePool.Admission;

namespace AdaptivePool.Hosting.Gates;

/// <summary>The gates of an application by name. Names are compared as written.</summary>
internal sealed class GateCatalog
{
    private readonly List<string> _names = [];

    /// <summary>The names; none where the application has the pool alone.</summary>
    public IReadOnlyList<string> Names => _names;

    /// <summary>Set when the pipeline has a place where requests enter gates.</summary>
    public bool IsUsed { get; set; }

    /// <summary>Adds a name; false when it is there already.</summary>
    public bool Add(string name)
    {
        if (_names.Contains(name, StringComparer.Ordinal))
        {
            return false;
        }

        _names.Add(name);
        return true;
    }

    /// <summary>Checks that an endpoint's gate exists.</summary>
    /// <exception cref="InvalidOperationException">It does not; the message names endpoint, gate and those there are.</exception>
    public static GateCatalog Find(IServiceProvider services, string gateName, string? endpointName)
    {
        var catalog = services.GetService<GateCatalog>();
        return catalog?._names.Contains(gateName, StringComparer.Ordinal) == true
            ? catalog
            : throw new InvalidOperationException(
                $"The endpoint '{endpointName}' requires the transaction gate '{gateName}', which does not exist; "
                + $"gates: {(catalog is null or { Names.Count: 0 } ? "none" : string.Join(", ", catalog._names))}. "
                + $"Call 'builder.Services.AddTransactionGate(\"{gateName}\")'.");
    }
}
