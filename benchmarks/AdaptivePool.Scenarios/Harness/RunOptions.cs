namespace AdaptivePool.Scenarios.Harness;

/// <summary>The options of the command line.</summary>
public sealed record RunOptions
{
    /// <summary>The scenario, or <c>list</c>.</summary>
    public required string Name { get; init; }

    /// <summary>Short times, one round.</summary>
    public bool Quick { get; init; }

    /// <summary>Rounds per case and pool; null: those of the case.</summary>
    public int? Rounds { get; init; }

    /// <summary>Pools; empty: the defaults.</summary>
    public IReadOnlyList<string> Pools { get; init; } = [];

    /// <summary>Cases; empty: the defaults.</summary>
    public IReadOnlyList<string> Cases { get; init; } = [];

    /// <summary>Options of the scenario that were given, by name with dashes.</summary>
    public IReadOnlyDictionary<string, string> Extra { get; init; } = new Dictionary<string, string>(StringComparer.Ordinal);

    /// <summary>File for the results; null: none.</summary>
    public string? Json { get; init; }
}
