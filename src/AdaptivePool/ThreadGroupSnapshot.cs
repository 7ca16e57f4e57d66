namespace AdaptivePool;

/// <summary>The state of one group of threads at one moment; see <see cref="AdaptiveThreadPool.ThreadGroups"/>.</summary>
public sealed record ThreadGroupSnapshot
{
    /// <summary>The number of the group, from 0.</summary>
    public required int Number { get; init; }

    /// <summary>The system's number of the NUMA node that the threads of the group are bound to; <see langword="null"/> if they may run anywhere.</summary>
    public required int? Node { get; init; }

    /// <summary>The number of threads alive.</summary>
    public required int Threads { get; init; }

    /// <summary>The number of threads that have an item, including blocked ones.</summary>
    public required int Active { get; init; }

    /// <summary>The number of threads that have no item.</summary>
    public int Idle => Threads - Active;

    /// <summary>Whether items with a route to the group wait while all of its threads are blocked. Threads of other groups may take these items.</summary>
    public required bool IsStalled { get; init; }

    /// <summary>The number of items with a route to the group that wait for a thread, over all classes.</summary>
    public required long Queued { get; init; }
}
