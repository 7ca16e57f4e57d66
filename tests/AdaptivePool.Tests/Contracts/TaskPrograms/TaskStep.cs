namespace AdaptivePool.Tests.Contracts.TaskPrograms;

/// <summary>A way to run parts of a program. It tells all that it sees as a text, which must be the same on any scheduler.</summary>
/// <param name="Name">What it does.</param>
/// <param name="MostChildren">Parts that it runs, at most.</param>
internal sealed record TaskStep(string Name, int MostChildren)
{
    /// <summary>Does it on the calling thread; <see langword="null"/> for what awaits.</summary>
    public Func<TaskHost, TaskProgram, string>? Do { get; init; }

    /// <summary>Does it by awaits; <see langword="null"/> for what never does.</summary>
    public Func<TaskHost, TaskProgram, Task<string>>? Run { get; init; }

    /// <summary>Whether it holds its thread for something that this thread cannot do.</summary>
    public bool Blocks { get; init; }

    /// <summary>Whether it calls its children without an await, so that one which awaits holds the thread.</summary>
    public bool CallsChildren { get; init; }

    /// <summary>Whether its children must not await, not even where they may hold the thread.</summary>
    public bool MayNotAwait { get; init; }

    /// <summary>Whether it does something else on a pool that is closed.</summary>
    public bool NeedsOpenPool { get; init; }

    /// <summary>Whether it changes its thread, or lets nothing flow. Tasks of a pair that follow each other see the thread of one another.</summary>
    public bool SeesNeighbours { get; init; }
}
