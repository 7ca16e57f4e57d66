namespace AdaptivePool.Stress;

/// <summary>What is stressed.</summary>
internal enum StressMode
{
    /// <summary>All others, one after another.</summary>
    All,

    /// <summary>Everything a pool takes, from many threads, while it is resized, to its end.</summary>
    Mixed,

    /// <summary>Work items that are used again and again: as many as possible.</summary>
    Items,

    /// <summary>A few items at a time on a pool that goes to sleep in between.</summary>
    Bursts,

    /// <summary>Pools that are disposed while work comes in.</summary>
    Dispose,

    /// <summary>The queues alone, with yields between their memory accesses.</summary>
    Queues,

    /// <summary>Mixed beside four busy threads per core.</summary>
    Oversubscribed,

    /// <summary>Mixed while the garbage collector runs again and again.</summary>
    Gc,

    /// <summary>Mixed and bursts in a process that has one core.</summary>
    OneCore,
}
