namespace AdaptivePool.Scenarios.Harness;

/// <summary>One case of a scenario.</summary>
/// <param name="Name">Name in tables, files and on the command line.</param>
/// <param name="Description">What the case does, in one line.</param>
public sealed record ScenarioCase(string Name, string Description)
{
    /// <summary>The pools that run if the command line names none; null: those of the scenario.</summary>
    public IReadOnlyList<string>? DefaultPools { get; init; }

    /// <summary>Whether the case runs if the command line names no cases.</summary>
    public bool IsDefault { get; init; } = true;

    /// <summary>Whether the case runs with <c>--quick</c> if the command line names no cases.</summary>
    public bool IsQuick { get; init; } = true;

    /// <summary>The cores that the child may use, in the format of <c>taskset -c</c>; null: all.</summary>
    public string? Cores { get; init; }

    /// <summary>The longest time that a child may take for one round. After that the parent ends it as hung. Null: that of the scenario.</summary>
    public TimeSpan? TimeLimit { get; init; }

    /// <summary>The number of rounds if the command line gives none.</summary>
    public int DefaultRounds { get; init; } = 3;
}
