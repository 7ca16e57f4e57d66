namespace AdaptivePool.Scenarios.Harness;

/// <summary>The task of a child process.</summary>
public sealed record ChildRequest
{
    /// <summary>Name of the scenario.</summary>
    public required string Scenario { get; init; }

    /// <summary>Name of the case.</summary>
    public required string Case { get; init; }

    /// <summary>Name of the pool.</summary>
    public required string Pool { get; init; }

    /// <summary>Whether the run uses short times.</summary>
    public required bool Quick { get; init; }

    /// <summary>The cores that the child may use, in the format of <c>taskset -c</c>; null: all.</summary>
    public string? Cores { get; init; }

    /// <summary>Environment variables of the child in addition to those of the parent.</summary>
    public IReadOnlyDictionary<string, string> Environment { get; init; } = new Dictionary<string, string>(StringComparer.Ordinal);

    /// <summary>Settings of the run, such as a connection string.</summary>
    public required IReadOnlyDictionary<string, string> Settings { get; init; }
}
