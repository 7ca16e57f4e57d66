namespace AdaptivePool.Simulation.Replay;

/// <summary>What a replay found for one class.</summary>
/// <param name="ClassName">The work class.</param>
internal sealed record DecisionReplayResult(string ClassName)
{
    /// <summary>Steps in the log.</summary>
    public int Steps { get; init; }

    /// <summary>Steps whose decision came out the same in every term.</summary>
    public int Identical { get; init; }

    /// <summary>The first step that did not; <see langword="null"/> when there is none. Later ones follow from it.</summary>
    public DecisionReplayDifference? Difference { get; init; }

    /// <summary>Whether every decision was reproduced.</summary>
    public bool IsIdentical => Identical == Steps;
}
