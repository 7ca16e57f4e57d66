namespace AdaptivePool.Scenarios.Harness;

/// <summary>One case of a scenario.</summary>
/// <param name="Name">Name in tables, files and on the command line.</param>
/// <param name="Description">What is done, in one line.</param>
public sealed record ScenarioCase(string Name, string Description)
{
    /// <summary>Pools that run when none are asked for; null: those of the scenario.</summary>
    public IReadOnlyList<string>? DefaultPools { get; init; }

    /// <summary>Whether the case runs when no cases are asked for.</summary>
    public bool IsDefault { get; init; } = true;

    /// <summary>Whether the case runs under <c>--quick</c> when no cases are asked for.</summary>
    public bool IsQuick { get; init; } = true;

    /// <summary>Cores the child may use, as <c>taskset -c</c> takes them; null: all.</summary>
    public string? Cores { get; init; }

    /// <summary>Longest time a child may take for one round before it is ended as hung; null: that of the scenario.</summary>
    public TimeSpan? TimeLimit { get; init; }

    /// <summary>Rounds when none are asked for.</summary>
    public int DefaultRounds { get; init; } = 3;
}
