namespace AdaptivePool.Scenarios.Harness;

/// <summary>What a child process is started to do.</summary>
public sealed record ChildRequest
{
    /// <summary>Name of the scenario.</summary>
    public required string Scenario { get; init; }

    /// <summary>Name of the case.</summary>
    public required string Case { get; init; }

    /// <summary>Name of the pool.</summary>
    public required string Pool { get; init; }

    /// <summary>Whether short times are asked for.</summary>
    public required bool Quick { get; init; }

    /// <summary>Cores the child may use, as <c>taskset -c</c> takes them; null: all.</summary>
    public string? Cores { get; init; }

    /// <summary>Environment variables of the child beside those of the parent.</summary>
    public IReadOnlyDictionary<string, string> Environment { get; init; } = new Dictionary<string, string>(StringComparer.Ordinal);

    /// <summary>Settings of the run, such as a connection string.</summary>
    public required IReadOnlyDictionary<string, string> Settings { get; init; }
}
