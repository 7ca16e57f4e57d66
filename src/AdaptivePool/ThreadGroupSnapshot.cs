namespace AdaptivePool;

/// <summary>State of one group of threads at one moment; see <see cref="AdaptiveThreadPool.ThreadGroups"/>.</summary>
public sealed record ThreadGroupSnapshot
{
    /// <summary>Number of the group, from 0.</summary>
    public required int Number { get; init; }

    /// <summary>The system's number of the NUMA node that its threads are bound to; <see langword="null"/> where they may run anywhere.</summary>
    public required int? Node { get; init; }

    /// <summary>Threads alive.</summary>
    public required int Threads { get; init; }

    /// <summary>Threads that have an item, blocked ones included.</summary>
    public required int Active { get; init; }

    /// <summary>Threads that have none.</summary>
    public int Idle => Threads - Active;

    /// <summary>Whether items with a route to the group wait while all of its threads block. Threads of other groups may take them.</summary>
    public required bool IsStalled { get; init; }

    /// <summary>Items with a route to the group that wait for a thread, of all classes.</summary>
    public required long Queued { get; init; }
}
